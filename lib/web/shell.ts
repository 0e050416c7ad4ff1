import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { style } from './style.ts';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A whole page. Needs no script and no picture; whatever is put into it is escaped. */
export function shell(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no, address=no, email=no">
<title>${title} · Caregate</title>
<style>${raw(style)}</style>
</head>
<body>
<header><b>Caregate</b> · your family’s back office</header>
<main>${content}</main>
<footer>Caregate proposes; a person decides. It gives no medical advice.</footer>
</body>
</html>`;
}

/** A short page that says one thing. */
export function message(title: string, tone: 'good' | 'warn' | 'note', content: Html): Html {
  return shell(
    title,
    html`<h1>${title}</h1><div class="${tone}" role="${tone === 'warn' ? 'alert' : 'status'}">${content}</div>`,
  );
}
