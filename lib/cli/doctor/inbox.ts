import { daysLeft, inboxSettings } from '../../local/mailbox/settings.ts';
import { systemClock } from '../../provenance/clock.ts';
import { type Finding, looked } from './finding.ts';

/** A certificate is renewed this many days before it ends, or somebody should look why it was not. */
const soon = 14;

/** Whether other machines can hand mail in, and how long the certificate holds. Nothing where they cannot. */
export async function inboxFindings(): Promise<Finding[]> {
  const finding = await looked('inbox', () => {
    const settings = inboxSettings(process.env);
    if (settings === undefined) return { health: 'ok', says: '' };
    const days = daysLeft(settings.tls().cert, systemClock);
    const open = `open to other machines at ${settings.host} port ${settings.port}`;
    if (days < 0) return { health: 'wrong', says: `${open}, but its certificate has run out: renew it` };
    return { health: days < soon ? 'note' : 'ok', says: `${open}; its certificate holds ${days} days` };
  });
  return finding.says === '' ? [] : [finding];
}
