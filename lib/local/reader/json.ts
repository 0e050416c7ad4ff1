/**
 * The value of a JSON text, or nothing where it is none.
 * @param text what a request shows; attacker-controlled
 */
export function parsedJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
