declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Where the tables lie; in memory without it. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** The server, which need not listen: it answers `request` events. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
