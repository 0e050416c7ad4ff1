/*
 * Runs inside a page, which has a document that this project's compiler does not know. What it gives:
 * - `worst`: the text with the least contrast to its ground, and that contrast (WCAG 2.2, 1.4.3)
 * - `obstacles`: what a person could trip over: controls without a name or too small to press, small print, a page that
 *   is wider than the screen, a missing heading or language
 */
(() => {
  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);

  function light([red = 0, green = 0, blue = 0]) {
    const [r, g, b] = [red, green, blue].map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function ground(element) {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length > 0 && (color[3] ?? 1) > 0) return color;
    }
    return [255, 255, 255];
  }

  function contrasts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent.trim();
      if (text === '' || !element.checkVisibility()) continue;
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
      found.push({ text, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) });
    }
    return found.sort((a, b) => a.ratio - b.ratio);
  }

  function obstacles() {
    const found = [];
    for (const control of document.querySelectorAll('input,textarea,button,a[href]')) {
      if (!control.checkVisibility()) continue;
      const label = control.labels?.[0]?.textContent ?? control.textContent;
      if (label.trim() === '') found.push(`${control.tagName} without a name`);
      const { height } = control.getBoundingClientRect();
      if (control.tagName !== 'A' && height < 44) found.push(`${control.tagName} too small to press`);
    }
    for (const element of document.querySelectorAll('body *')) {
      if (Number.parseFloat(getComputedStyle(element).fontSize) < 15)
        found.push(`${element.tagName} in small print`);
    }
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) found.push('the page is wider than the screen');
    if (document.querySelectorAll('h1').length !== 1) found.push('not exactly one h1');
    if (page.lang === '') found.push('no language');
    if (document.querySelector('main') === null) found.push('no main');
    return found;
  }

  return { worst: contrasts()[0], obstacles: obstacles() };
})();
