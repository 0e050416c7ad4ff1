/** An XML element around a text, which is escaped, or around elements that are written already. */
export function element(name: string, content: string | number | boolean | readonly string[]): string {
  const inner = Array.isArray(content) ? content.join('') : escapeXml(String(content));
  return `<${name}>${inner}</${name}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text for XML. Control characters become character references: a parser would normalise or refuse them. */
export function escapeXml(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an object's key may hold them
    /[&<>"\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g,
    (character) => entities[character] ?? `&#${character.charCodeAt(0)};`,
  );
}
