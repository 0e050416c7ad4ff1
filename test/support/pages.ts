import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createDecisions, createPages } from '../../lib/web/app.ts';
import type { DecisionDeps } from '../../lib/web/deps.ts';
import type { Approvals } from './approvals.ts';

/** The parts of a running set of approvals as the pages take them. */
export function pageDeps(office: Approvals, given: Partial<DecisionDeps> = {}): DecisionDeps {
  return {
    ...office,
    publicKey: async () => office.publicKey,
    listing: true,
    ...given,
  };
}

/** Both applications behind one origin, as a gateway puts them: GET shows, POST decides. */
export function bothPages(deps: DecisionDeps): Hono {
  const [pages, decisions] = [createPages(deps), createDecisions(deps)];
  return new Hono().all('*', ({ req }) => (req.method === 'POST' ? decisions : pages).fetch(req.raw));
}

export interface ServedPages extends AsyncDisposable {
  readonly url: string;
}

/** Serves the pages on a free port of this machine, for a browser. */
export async function servePages(deps: DecisionDeps): Promise<ServedPages> {
  const server = serve({ fetch: bothPages(deps).fetch, hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the pages have no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
