/** The formats that a model can be shown (Bedrock's `ImageBlock`). */
export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp';

const starts: readonly [format: PictureFormat, pattern: RegExp][] = [
  ['png', /^\x89PNG\r\n/],
  ['jpeg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[\s\S]{4}WEBP/],
];

/** The format of a picture by its first sixteen bytes, one character each; nothing for any other. */
export function pictureFormat(start: string): PictureFormat | undefined {
  return starts.find(([, pattern]) => pattern.test(start))?.[0];
}
