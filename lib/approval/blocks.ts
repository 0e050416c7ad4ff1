/** A piece of a notice. One list of blocks becomes the plain text and the HTML of the same mail. */
export type Block =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'heading'; readonly text: string }
  /** A value under its label, with a remark on where it comes from. */
  | { readonly is: 'field'; readonly label: string; readonly value: string; readonly remark?: string }
  /** Words of a mail, already taken through `quoteForPeople`. */
  | { readonly is: 'quote'; readonly text: string }
  | { readonly is: 'list'; readonly items: readonly string[] }
  | { readonly is: 'link'; readonly label: string; readonly url: string }
  | { readonly is: 'code'; readonly code: string };

/**
 * How the code stands in the plain text of a mail: on a line of its own that nothing quoted can be, since every quoted
 * line begins with blanks or `>`.
 */
export const mailedCode = /^Your code: (\d{6})$/m;

/** The plain text of a mail. A value of several lines is indented, so that it cannot pass for Caregate's own. */
export function textOfBlocks(blocks: readonly Block[]): string {
  return `${blocks.map(textOfBlock).join('\n\n')}\n`;
}

function textOfBlock(block: Block): string {
  switch (block.is) {
    case 'text':
      return block.text;
    case 'heading':
      return `${block.text.toUpperCase()}\n${'-'.repeat(block.text.length)}`;
    case 'field': {
      const remark = block.remark === undefined ? '' : `\n  (${indented(block.remark, '  ').trimStart()})`;
      return `${block.label}:\n${indented(block.value, '  ')}${remark}`;
    }
    case 'quote':
      return indented(block.text, '> ');
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'link':
      return `${block.label}\n${block.url}`;
    case 'code':
      return `Your code: ${block.code}`;
  }
}

function indented(text: string, by: string): string {
  return text.replace(/^/gm, by);
}

/** The HTML of the same mail: no picture, no script, nothing that is loaded from elsewhere. */
export function htmlOfBlocks(title: string, blocks: readonly Block[]): string {
  const body = blocks.map(htmlOfBlock).join('\n');
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>` +
    `<body style="font:17px/1.5 system-ui,sans-serif;max-width:38em;margin:1em auto;padding:0 1em">\n${body}\n</body></html>\n`
  );
}

const pre = 'white-space:pre-wrap;overflow-wrap:anywhere';

function htmlOfBlock(block: Block): string {
  switch (block.is) {
    case 'text':
      return `<p>${escaped(block.text)}</p>`;
    case 'heading':
      return `<h2 style="font-size:1.15em;margin:1.6em 0 0.4em">${escaped(block.text)}</h2>`;
    case 'field': {
      const remark = block.remark === undefined ? '' : `<br><small>${escaped(block.remark)}</small>`;
      const value = `<span style="${pre}"><bdi>${escaped(block.value)}</bdi></span>`;
      return `<p><b>${escaped(block.label)}</b><br>${value}${remark}</p>`;
    }
    case 'quote':
      return `<blockquote style="${pre};border-left:3px solid #888;margin-left:0;padding-left:1em">${escaped(block.text)}</blockquote>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`;
    case 'link':
      return (
        `<p><a href="${escaped(block.url)}" style="display:inline-block;padding:0.7em 1.2em;border-radius:0.4em;` +
        `background:#0b5c58;color:#fff;text-decoration:none">${escaped(block.label)}</a></p>`
      );
    case 'code':
      return `<p>Your code: <b style="font-size:1.5em;letter-spacing:0.1em">${escaped(block.code)}</b></p>`;
  }
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
