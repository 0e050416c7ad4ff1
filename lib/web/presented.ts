import { html } from 'hono/html';
import type { Passage, Presentation, PresentedLine, PresentedOrigin } from '../approval/presentation.ts';
import type { Html } from './shell.ts';

/** One exact call, to the letter. Every value in it may have been written by whoever wrote the mail: it is escaped. */
export function presented(presentation: Presentation): Html {
  return html`<div class="card"><dl>${presentation.lines.map(line)}</dl></div>`;
}

function line(shown: PresentedLine): Html {
  return html`<div><dt>${shown.label}</dt><dd>${value(shown)}<p class="origin">${origin(shown.origin)}</p></dd></div>`;
}

function value({ value: exact, plain, files }: PresentedLine): Html {
  if (files !== undefined) {
    return html`<ul class="files">${files.map(
      ({ name, sha256 }) =>
        html`<li><span class="value">${name}</span> <span class="exact">digest <code>${sha256.slice(0, 12)}</code></span></li>`,
    )}</ul>`;
  }
  if (plain !== undefined) {
    return html`<span class="value">${plain}</span><br><span class="exact">exactly: <code>${exact}</code></span>`;
  }
  const long = exact.length > 120 || exact.includes('\n');
  return html`<span class="${long ? 'value long' : 'value'}" dir="auto">${exact}</span>`;
}

function origin(from: PresentedOrigin): Html {
  switch (from.by) {
    case 'circle':
      return from.passage === undefined
        ? html`From your own list. The letter does not name it.`
        : html`From your own list. The letter says: ${quoted(from.passage)}`;
    case 'document':
      return html`${from.checked ? 'Read from the letter, and checked by Caregate' : 'Read from the letter, not checked'}:
        ${quoted(from.passage)}`;
    case 'header':
      return html`As the mail says. Anyone can write that.`;
    case 'caregate':
      return html`Found by Caregate.`;
    case 'model':
      return from.how === 'wrote' ? html`Written by the model.` : html`Chosen by the model.`;
  }
}

function quoted({ document, page, quote }: Passage): Html {
  return html`<q dir="auto">${quote}</q> (${document}, page ${page})`;
}
