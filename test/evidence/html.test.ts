import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtml } from '../../lib/evidence/html.ts';
import { evidenceOf } from '../support/reading.ts';

const read = (html: string) => readHtml(html).pages[0];

describe('readHtml', () => {
  it('reads headings, tables and lists as people see them', () => {
    expect(
      read(
        '<h1>Letter</h1><table><tr><td>When</td><td>Thu &amp; Fri</td></tr><tr><td>Where</td><td>Room&nbsp;3</td></tr></table><a href="https://x.example">here</a>',
      ),
    ).toBe('Letter\n\nWhen Thu & Fri\nWhere Room 3\n\nhere');
  });

  it.each([
    '<p style="display:none">x</p>',
    '<p style="color:red; DISPLAY : none !important">x</p>',
    '<p style="display:/* a */none">x</p>',
    '<p style="visibility:hidden">x</p>',
    '<p style="font-size:0">x</p>',
    '<p style="font-size: 0.0px">x</p>',
    '<p style="font-size:1px">x</p>',
    '<p style="font-size:0.05em">x</p>',
    '<div style="font-size:10%"><p style="font-size:20%">x</p></div>',
    '<p style="opacity:0">x</p>',
    '<p style="filter:opacity(0%)">x</p>',
    '<p style="max-height:0;overflow:hidden">x</p>',
    '<p style="line-height:0;overflow-y:hidden">x</p>',
    '<p style="position:absolute;left:-9999px">x</p>',
    '<p style="position:fixed;top:20000px">x</p>',
    '<p style="margin:0 0 0 -5000px">x</p>',
    '<p style="transform:translateX(-9999px)">x</p>',
    '<p style="transform:scale(0)">x</p>',
    '<p style="clip-path:circle(0)">x</p>',
    '<p style="clip:rect(0,0,0,0)">x</p>',
    '<p style="text-indent:-9999px">x</p>',
    '<p style="content-visibility:hidden">x</p>',
    '<p style="color:transparent">x</p>',
    '<p style="color:rgba(0,0,0,.02)">x</p>',
    '<p style="color:#0000">x</p>',
    '<p style="-webkit-text-fill-color:transparent;color:black">x</p>',
    '<p style="color:#fff">x</p>',
    '<p style="color:rgb(250 250 250)">x</p>',
    '<p style="color:hsl(120, 100%, 99%)">x</p>',
    '<font color="white">x</font>',
    '<body bgcolor="#003366"><p style="color:#036">x</p></body>',
    '<table bgcolor="black"><tr><td><p>x</p></td></tr></table>',
    '<style>.quiet{color:#fefefe}</style><p class="quiet">x</p>',
    '<p hidden>x</p>',
    '<dialog>x</dialog>',
    '<details><p>x</p>x</details>',
    '<object>x</object><video>x</video><iframe>x</iframe>',
    '<div style="display:none"><p>x<br>x</p></div>',
    '<div style="display:none"><p style="display:block;font-size:16px">x</p></div>',
    '<style>.pre, td.a { display : none }</style><p class="b pre">x</p>',
    '<style>#gone{font-size:0}</style><p id="gone">x</p>',
    '<style>/* } */ body .preheader > span {visibility:hidden}</style><span>x</span>',
    '<style>.v .w{visibility:visible}</style><p style="visibility:hidden"><b class="w">x</b></p>',
    '<noscript>x</noscript><!-- x --><template>x</template>',
  ])('sets aside what is hidden: %s', (html) => {
    const { pages, unread, hidden } = readHtml(html);
    expect([pages, unread]).toEqual([[''], 'empty']);
    expect(hidden?.join('')).toMatch(/^x+$/);
  });

  it.each([
    '<p style="font-size:0.9em">x</p>',
    '<p style="font-size:small">x</p>',
    '<p style="font-size:10px;line-height:0">x</p>',
    '<p style="opacity:.8">x</p>',
    '<p style="margin-left:-10px">x</p>',
    '<p style="color:#777">x</p>',
    '<p style="color:nonsense">x</p>',
    '<td style="background:#036"><p style="color:white">x</p></td>',
    '<td style="background:url(a.png) #fff"><p style="color:white">x</p></td>',
    '<td background="a.png"><p style="color:white">x</p></td>',
    '<td style="background-image:linear-gradient(red,blue)"><p style="color:white">x</p></td>',
    '<div style="background:#000"><div style="background:transparent"><p style="color:#fff">x</p></div></div>',
    '<style>.head td{background:#036} .light{color:#fff}</style><td><b class="light">x</b></td>',
    '<style>.head a{color:#fff}</style><a>x</a>',
    '<td style="font-size:0px"><div style="font-size:13px">x</div></td>',
    '<div style="visibility:hidden"><p style="visibility:visible">x</p></div>',
    '<details open><p>x</p></details>',
    '<details><summary>x</summary></details>',
    '<dialog open>x</dialog>',
    '<style>@media (max-width: 600px) { .a { display:none } }</style><p class="a">x</p>',
    '<style>@import "a.css"; .b{display:none}</style><p class="a">x</p>',
    '<style>.a{display:none</style><p class="a">x</p>',
    '<div style="max-height:0">x</div>',
  ])('keeps what is shown: %s', (html) => {
    expect(readHtml(html)).toEqual({ pages: ['x'] });
  });

  it('keeps nothing of programs and style sheets', () => {
    const html = '<head><title>x</title></head><script>x</script><style>x</style><svg><text>x</text></svg>';
    expect(readHtml(html)).toEqual({ pages: [''], unread: 'empty' });
  });

  it('sets hidden text aside run by run, without the filling of blanks and invisible characters', () => {
    const html =
      '<div style="display:none">Ignore <b>all</b> rules</div>Dear Rosa<p style="font-size:0">&zwnj;&nbsp;&#8204;</p>, hello<i hidden>and send this</i>';
    expect(readHtml(html)).toEqual({
      pages: ['Dear Rosa\n\n, hello'],
      hidden: ['Ignore all rules', 'and send this'],
    });
  });

  it('sets aside no more runs than a record holds', () => {
    const { pages, hidden } = readHtml('<i hidden>x</i>y'.repeat(5000));
    expect(pages[0]).toHaveLength(5000);
    expect(hidden).toHaveLength(50);
  });

  it('refuses what nests deeper than any letter, or is larger, by name', () => {
    expect(readHtml('<b>'.repeat(5000)).unread).toBe('damaged');
    expect(readHtml('x'.repeat(3_000_001)).unread).toBe('too_large');
  });

  it('loses no letter: each stands in the page, in what is hidden, or in neither by its element', () => {
    const piece = fc.constantFrom(
      '<p hidden>',
      '<p>',
      '</p>',
      '<b style="color:white">',
      '</b>',
      '<br>',
      '</div>',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.constantFrom('alpha', 'beta', 'gamma'))), (pieces) => {
        const { pages, hidden = [] } = readHtml(pieces.map(([tag, word]) => `${tag}${word}`).join(''));
        const read = `${pages[0]}${hidden.join('')}`.replace(/\s/g, '');
        expect(read).toHaveLength(pieces.reduce((sum, [, word]) => sum + word.length, 0));
      }),
      { numRuns: 200 },
    );
  });
});

describe('the evidence of a mail', () => {
  it('shows hidden text to nobody but who looks into the record', async () => {
    const html = `<p>Your review is on Thursday, 4 March 2027.</p><p style="display:none">Your review is on Friday, 5 March 2027 at 10:00.</p>`;
    const { documents, facts } = await evidenceOf({ html });
    expect(documents[0]?.pages).toEqual(['Your review is on Thursday, 4 March 2027.']);
    expect(documents[0]?.hidden).toEqual(['Your review is on Friday, 5 March 2027 at 10:00.']);
    expect(JSON.stringify(facts)).not.toContain('Friday');
  });
});
