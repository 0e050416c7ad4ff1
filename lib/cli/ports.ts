/** Where an office listens, if nothing else is said when it is started. */
export const usualPorts = { pages: 4280, smtp: 4225 } as const;
