import { ByteReader, endOfBytes } from './bytereader.ts';
import { decodeText } from './charset.ts';
import { charsetOf, numberOf, type Properties, property, readProperties, stringOf, timeOf } from './mapi.ts';
import { unpackRtf } from './rtfcompression.ts';

/** A body of a packed mail, and the charset to read it by. */
export interface PackedBody {
  readonly contentType: 'text/plain' | 'text/html' | 'application/rtf';
  readonly charset: string;
  readonly bytes: Uint8Array;
}

export interface PackedFile {
  readonly name: string;
  /** `application/ms-tnef` for a mail that is packed in the packed mail. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** What Outlook packs into a `winmail.dat`. All of it is attacker-controlled. */
export interface PackedMail {
  readonly from: string;
  readonly date: string;
  readonly subject: string;
  readonly bodies: readonly PackedBody[];
  readonly files: readonly PackedFile[];
  /** Whether it was read to its end. */
  readonly whole: boolean;
}

const signature = 0x223e9f78;
const attribute = {
  subject: 0x18004,
  body: 0x2800c,
  message: 0x69003,
  codepage: 0x69007,
  newFile: 0x69002,
  fileName: 0x18010,
  fileData: 0x6800f,
  file: 0x69005,
} as const;
const mostFiles = 200;
const mostAttributes = 5000;

export function isTnef(bytes: Uint8Array): boolean {
  return bytes.length > 6 && new ByteReader(bytes).uint32() === signature;
}

/**
 * Unpacks Outlook's `winmail.dat` ([MS-OXTNEF]): the bodies of the letter and the files in it.
 * @param bytes attacker-controlled; nothing that is read is larger than they are, but for packed RTF
 * @returns nothing for what is no such file
 */
export function unpackTnef(bytes: Uint8Array): PackedMail | undefined {
  if (!isTnef(bytes)) return undefined;
  const unpacking = new Unpacking();
  const reader = new ByteReader(bytes);
  reader.bytes(6); // the signature and a key
  let whole = false;
  try {
    for (let count = 0; count < mostAttributes && reader.left > 0; count += 1) {
      reader.uint8(); // whether it is of the message or of a file, which the attribute itself says too
      const id = reader.uint32();
      const value = reader.bytes(reader.uint32());
      unpacking.take(id, value);
      reader.bytes(Math.min(2, reader.left)); // a checksum, which not every writer gets right
    }
    whole = reader.left === 0;
  } catch (error) {
    if (error !== endOfBytes) throw error;
  }
  return unpacking.result(whole && !unpacking.partial);
}

interface File {
  title?: { bytes: Uint8Array; charset: string } | undefined;
  data?: Uint8Array;
  properties?: Properties;
}

class Unpacking {
  readonly #files: File[] = [];
  #message: Properties = new Map();
  #codepage: number | undefined;
  #subject: Uint8Array | undefined;
  #body: Uint8Array | undefined;
  /** Whether something of it was left out. */
  partial = false;

  take(id: number, value: Uint8Array): void {
    const file = this.#files.at(-1);
    if (id === attribute.codepage) this.#codepage = new ByteReader(value).uint32();
    else if (id === attribute.subject) this.#subject = value;
    else if (id === attribute.body) this.#body = value;
    else if (id === attribute.message) this.#message = this.#properties(value);
    else if (id === attribute.newFile) this.#addFile();
    else if (file === undefined) return;
    else if (id === attribute.fileName)
      file.title = stringOf({ type: 0x1e, value }, charsetOf(this.#codepage));
    else if (id === attribute.fileData) file.data = value;
    else if (id === attribute.file) file.properties = this.#properties(value);
  }

  #properties(value: Uint8Array): Properties {
    const { properties, whole } = readProperties(value);
    if (!whole) this.partial = true;
    return properties;
  }

  #addFile(): void {
    if (this.#files.length < mostFiles) this.#files.push({});
    else this.partial = true;
  }

  result(whole: boolean): PackedMail {
    const subject = this.#text(property.subject);
    const plain = stringOf(
      { type: 0x1e, value: this.#subject ?? new Uint8Array() },
      charsetOf(this.#codepage),
    );
    const name = this.#text(property.senderName);
    const address = this.#text(property.senderSmtp) || this.#text(property.senderAddress);
    return {
      from: `${name} ${address === '' ? '' : `<${address}>`}`.trim(),
      date: timeOf(this.#message.get(property.submitTime))?.toISOString() ?? '',
      subject: subject || decodeText(plain?.bytes ?? new Uint8Array(), plain?.charset),
      bodies: this.#bodies(),
      files: this.#files.flatMap((file) => packedFile(file, charsetOf(this.#codepage))),
      whole,
    };
  }

  #text(id: number): string {
    const found = stringOf(this.#message.get(id), charsetOf(this.#codepage));
    return found === undefined ? '' : decodeText(found.bytes, found.charset);
  }

  /** The letter as text and as HTML, where they are there; else as RTF, which Outlook may write alone. */
  #bodies(): PackedBody[] {
    const own = charsetOf(numberOf(this.#message.get(property.codepage)) ?? this.#codepage);
    const plain = { type: 0x1e, value: this.#body ?? new Uint8Array() };
    const text = stringOf(this.#message.get(property.body) ?? plain, charsetOf(this.#codepage));
    const html = stringOf(this.#message.get(property.html), own);
    const bodies: PackedBody[] = [];
    if (text !== undefined && text.bytes.length > 0) bodies.push({ contentType: 'text/plain', ...text });
    if (html !== undefined && html.bytes.length > 0) bodies.push({ contentType: 'text/html', ...html });
    const rtf =
      bodies.length > 0 ? undefined : unpackRtf(this.#message.get(property.rtf)?.value ?? new Uint8Array());
    if (rtf !== undefined && rtf.length > 0)
      bodies.push({ contentType: 'application/rtf', charset: '', bytes: rtf });
    return bodies;
  }
}

const embeddedMessage = 5;
/** A file that is an object starts with the id of its interface. */
const interfaceId = 16;

function packedFile({ title, data, properties }: File, charset: string): PackedFile[] {
  const text = (id: number): string => {
    const found = stringOf(properties?.get(id), charset);
    return found === undefined ? '' : decodeText(found.bytes, found.charset);
  };
  const object = properties?.get(property.attachData)?.value;
  const name = text(property.attachLongName) || decodeText(title?.bytes ?? new Uint8Array(), title?.charset);
  const embedded = numberOf(properties?.get(property.attachMethod)) === embeddedMessage;
  if (embedded && object !== undefined) {
    return [{ name, contentType: 'application/ms-tnef', bytes: object.subarray(interfaceId) }];
  }
  const bytes = data ?? object;
  if (bytes === undefined) return [];
  const type = text(property.attachType).toLowerCase();
  const plausible = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,100}$/.test(type);
  return [{ name, contentType: plausible ? type : 'application/octet-stream', bytes }];
}
