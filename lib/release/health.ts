import { CaregateError } from '../errors.ts';
import { type Health, healthSchema } from '../web/health.ts';

export interface HealthParts {
  readonly fetch: (url: string) => Promise<Pick<Response, 'status' | 'json'>>;
  /** Waits before it is asked again. */
  readonly pause: () => Promise<void>;
}

/** How often a page is asked that does not answer, or not yet with the new commit. */
const patience = 12;

/**
 * Asks the pages of a deployment what runs, until it is the commit that was to run.
 * @param publicUrl where the pages are
 * @throws CaregateError `RELEASE_REFUSED` if another commit answers; `CLOUD_UNAVAILABLE` if nothing does
 */
export async function confirmRelease(parts: HealthParts, publicUrl: string, commit: string): Promise<Health> {
  let seen: Health | undefined;
  for (let tries = 0; tries < patience; tries += 1) {
    if (tries > 0) await parts.pause();
    const health = await ask(parts, publicUrl);
    if (health?.commit === commit) return health;
    seen = health ?? seen;
  }
  if (seen !== undefined) {
    throw new CaregateError(
      'RELEASE_REFUSED',
      `\`/healthz\` names commit \`${seen.commit.slice(0, 12)}\` and not \`${commit.slice(0, 12)}\`; check out the commit that runs, or plan and deploy this one, and look whether \`${publicUrl}\` is this deployment's`,
    );
  }
  throw new CaregateError(
    'CLOUD_UNAVAILABLE',
    `\`${publicUrl}/healthz\` does not answer as Caregate does; look at the log of \`health\` and at the domain of the pages`,
  );
}

async function ask({ fetch }: HealthParts, publicUrl: string): Promise<Health | undefined> {
  try {
    const answer = await fetch(new URL('/healthz', publicUrl).href);
    if (answer.status !== 200) return undefined;
    const health = healthSchema.safeParse(await answer.json());
    return health.success ? health.data : undefined;
  } catch {
    return undefined; // asked again: a domain may be a minute old
  }
}
