import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Patience } from '../../lib/evidence/patience.ts';
import { readPdf } from '../../lib/evidence/pdf.ts';
import { pdfOf } from '../support/letters.ts';
import { content, onePagePdf } from '../support/rawpdf.ts';

describe('a PDF made to do harm', () => {
  const memory = 400 * 1024 * 1024;

  it('is too large where reading it would never end', async () => {
    // Each form paints the next one three times: two hundred thousand million in all.
    const forms = Array.from({ length: 24 }, (_, index) => ({
      dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A ${7 + index} 0 R >> >>`,
      stream: '/A Do /A Do /A Do',
    }));
    const bytes = onePagePdf({ content: content('/X0 Do'), objects: forms });
    const patience = new Patience({ limits: { time: 300, memory } });
    expect((await readPdf(bytes, patience)).unread).toBe('too_large');
  });

  it('is too large where it unpacks to more than the memory that it may use', async () => {
    const packed = deflateSync(deflateSync(Buffer.alloc(100_000_000, 0x20)));
    const bytes = onePagePdf({
      content: { dictionary: '/Filter [/FlateDecode /FlateDecode]', stream: packed },
    });
    const patience = new Patience({ limits: { time: 10_000, memory: 40 * 1024 * 1024 } });
    expect((await readPdf(bytes, patience)).unread).toBe('too_large');
  });

  it('takes no time from the next one that it does not have', async () => {
    const patience = new Patience({ inVain: 0 });
    expect((await readPdf(await pdfOf([['Dear Rosa']]), patience)).unread).toBe('too_large');
  });

  it('is a picture that nothing can look at where its image is beyond all measure', async () => {
    const image = {
      dictionary:
        '/Type /XObject /Subtype /Image /Width 30000 /Height 30000 /BitsPerComponent 8 /ColorSpace /DeviceRGB',
      stream: '',
    };
    const reading = await readPdf(
      onePagePdf({ content: content('q 300 0 0 400 0 0 cm /X0 Do Q'), objects: [image] }),
    );
    expect(reading).toMatchObject({ unread: 'scanned', unseen: [1] });
  });
});
