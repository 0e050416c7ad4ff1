/** What a person of a circle may be asked for. The first is whoever answers for the circle. */
export const circleRoles = ['owner', 'caregiver', 'viewer'] as const;
export type CircleRole = (typeof circleRoles)[number];
