import { describe, vi } from 'vitest';

/**
 * The readings again, in this thread instead of one of their own: branch coverage is counted here alone. What only ends
 * because the thread is ended stays out. A value crosses as between threads, so that both ways give the same.
 */
describe.runIf(process.env.CAREGATE_FULL === '1')('in place (skipped without CAREGATE_FULL=1)', async () => {
  vi.doMock('../../lib/evidence/sandbox.ts', async () => {
    const { readPdfFile, readPdfPicture } = await import('../../lib/evidence/pdffile.ts');
    const tasks: Readonly<Record<string, (...input: never[]) => Promise<unknown>>> = {
      pdf: readPdfFile,
      picture: readPdfPicture,
      word: (await import('../../lib/evidence/wordfile.ts')).readWordFile,
      rtf: (await import('../../lib/evidence/richtext.ts')).readRichText,
      photo: (await import('../../lib/evidence/photo.ts')).preparePhoto,
    };
    const runApart = async (name: string, input: never[]) => {
      try {
        const value = structuredClone(await tasks[name]?.(...structuredClone(input)));
        return { ended: 'done', value, used: 0 };
      } catch (error) {
        return { ended: 'failed', error: error instanceof Error ? error.name : 'Error', used: 0 };
      }
    };
    return { runApart };
  });
  await import('./pdf.test.ts');
  await import('./word.test.ts');
  await import('./image.test.ts');
});
