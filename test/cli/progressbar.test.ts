import { describe, expect, it } from 'vitest';
import { ProgressBar } from '../../lib/cli/progressbar.ts';

function barOn(isTTY: boolean, total: number) {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  return { bar: new ProgressBar({ isTTY, write }, total), written };
}

describe('a progress bar', () => {
  it('is one line that changes in place on a terminal, and is gone at the end', () => {
    const { bar, written } = barOn(true, 2);
    bar.step('shipped');
    bar.step('shipped');
    bar.end();
    bar.end();
    expect(written).toEqual([
      `\r\u001b[2K${'█'.repeat(14)}${'░'.repeat(14)}  50 %  1 of 2 mails  shipped`,
      `\r\u001b[2K${'█'.repeat(28)} 100 %  2 of 2 mails  shipped`,
      '\r\u001b[2K',
    ]);
  });

  it('is quiet elsewhere, and never goes beyond its end', () => {
    const { bar, written } = barOn(false, 0);
    bar.step('a');
    bar.end();
    expect(written).toEqual([]);
    const more = barOn(true, 1);
    more.bar.step('a');
    more.bar.step('a');
    expect(more.written).toHaveLength(1);
  });
});
