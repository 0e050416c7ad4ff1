import { layout } from '../casefile/layout.ts';
import { evidenceSchema } from '../evidence/schema.ts';
import { messageIdOf } from '../mail/trace.ts';
import { caseIdOf } from '../provenance/identifiers.ts';
import { jsonOf } from './dossier.ts';
import type { Examination } from './examination.ts';

/** The case object is about this case, and the mail's bytes are the message that it is about. */
export async function checkMail(examination: Examination): Promise<void> {
  const { key, record } = examination.dossier;
  const at = layout.case(key);
  if (record === undefined) {
    if (!examination.dossier.objects.has(at)) examination.found('CASE_MISSING', at);
    return;
  }
  const admitted = key.case.startsWith('c-');
  const itself = record.case === key.case && record.circle === key.circle;
  if (!itself || caseIdOf(key.circle, record.message, admitted) !== key.case) {
    examination.found('CASE_MISMATCH', at);
  }
  await examination.follow(record.delivery);
  const mail = await examination.follow(record.mail);
  if (mail === undefined) return;
  const message = messageIdOf(mail.bytes);
  if (message !== record.message) {
    examination.found('MESSAGE_MISMATCH', mail.key, { expected: record.message, found: message });
  }
}

/** Every document has the digest that it is named by, and every document of the evidence is there. */
export function checkDocuments(examination: Examination): void {
  const { key, objects } = examination.dossier;
  const root = layout.root(key);
  for (const object of objects.values()) {
    if (object.key.startsWith(`${root}documents/`) && object.key !== layout.document(key, object.sha256)) {
      examination.found('DOCUMENT_ALTERED', object.key, { found: object.sha256 });
    }
    if (!object.key.startsWith(`${root}evidence/`)) continue;
    const evidence = evidenceSchema.safeParse(jsonOf(object));
    if (!evidence.success) {
      examination.found('RECORD_UNREADABLE', object.key, { found: object.sha256 });
      continue;
    }
    for (const { id } of evidence.data.documents) {
      const at = layout.document(key, id);
      if (!objects.has(at)) examination.found('DOCUMENT_MISSING', at, { expected: id });
    }
  }
}
