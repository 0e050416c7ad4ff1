import { rawPdf } from './rawpdf.ts';

/** A file whose encryption dictionary fits no password: what a reader of it must ask for. */
export function lockedPdf(): Uint8Array {
  const hex = (byte: number) => byte.toString(16).padStart(2, '0').repeat(32);
  const id = `<${hex(3).slice(0, 32)}>`;
  return rawPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
      `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${hex(1)}> /U <${hex(2)}> >>`,
    ],
    `/Encrypt 4 0 R /ID [${id} ${id}]`,
  );
}
