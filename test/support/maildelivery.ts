import { type Delivery, deliverySchema } from '../../lib/mail/delivery.ts';

type Verdicts = Delivery['verdicts'];

/** A delivery as SES reports it, every check passed unless said otherwise. */
export function deliveryOf(source: string, verdicts: Partial<Verdicts> = {}): Delivery {
  return deliverySchema.parse({
    id: 'delivery-1',
    receivedAt: '2027-02-01T09:00:05Z',
    source,
    recipients: ['care@inbox.example'],
    verdicts: { spam: 'PASS', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'PASS', ...verdicts },
    mail: { bucket: 'inbox', key: 'mail/delivery-1' },
  });
}

/** The bytes of a mail from its lines, as a server hands it over. */
export function rawMail(...lines: string[]): Uint8Array {
  return new TextEncoder().encode(lines.join('\r\n'));
}
