import type { Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { isCaregateError } from '../errors.ts';
import type { PageDeps } from './deps.ts';
import { failurePage, invalidLinkPage, notFoundPage } from './resultpages.ts';
import { styleHash } from './style.ts';

/** What every answer carries: no script, no frame, no referrer to anybody else, nothing cached, nothing guessed. */
export function withHeaders(app: Hono): void {
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: [styleHash],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
      // With `no-referrer` a form says `Origin: null`, and without TLS nothing else tells it from another site's.
      referrerPolicy: 'same-origin',
      xFrameOptions: 'DENY',
      // TLS is the business of what stands in front; on a loopback address there is none to insist on.
      strictTransportSecurity: false,
    }),
  );
  app.use(async (context, next) => {
    await next();
    context.header('Cache-Control', 'no-store');
    context.header('X-Robots-Tag', 'noindex, nofollow');
  });
}

/** What a link that does not hold, a path that does not exist and a failure of ours look like. */
export function withEndings(app: Hono, { log }: Pick<PageDeps, 'log'>): void {
  app.notFound((context) => context.html(notFoundPage(), 404));
  app.onError((error, context: Context) => {
    if (isCaregateError(error, 'APPROVAL_LINK_INVALID')) return context.html(invalidLinkPage(), 404);
    log?.(isCaregateError(error) ? error.code : error.name);
    return context.html(failurePage(), 500);
  });
}

/**
 * Whether a request names this very machine as its host. A page from elsewhere that resolves its own name to this
 * machine still names itself.
 */
export function isLocalRequest(context: Context): boolean {
  const host = context.req.header('host') ?? '';
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
}
