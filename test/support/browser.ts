import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';

export type { Browser } from 'playwright-core';

/**
 * A real Chromium without a window. Not the package's own arguments: those switch off what a page is protected by. The
 * sandbox needs rights that a container does not give.
 */
export async function launchBrowser(...more: readonly string[]): Promise<Browser> {
  return driver.launch({
    executablePath: await chromium.executablePath(),
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...more],
  });
}
