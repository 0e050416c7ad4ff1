import { type Circle, circleSchema, parseCircle } from '../provenance/circle.ts';
import { type Path, readConfiguration, readConfigurationText } from '../provenance/configuration.ts';

/** A circle, and the file that it is deployed from. */
export interface DeployedCircle {
  readonly file: string;
  readonly circle: Circle;
}

/** Something about a circle that the deployment cannot serve: where the deployment names it, and what is wrong. */
interface Fault {
  readonly at: Path;
  readonly what: string;
}

/**
 * Reads one circle of a deployment.
 * @throws CaregateError `CONFIGURATION_INVALID`, with line and column in the circle's file
 */
export function readCircle(file: string): DeployedCircle {
  const text = readConfigurationText(
    file,
    `circle \`${file}\` cannot be read; name a readable file under \`circles\` of the deployment`,
  );
  const circle = parseCircle(text, file);
  if (!circle.people.some(({ roles }) => roles.includes('owner'))) {
    const { invalid } = readConfiguration(text, file, circleSchema);
    throw invalid(['people'], '`people`: nobody is the owner; write `owner` among the roles of one person');
  }
  return { file, circle };
}

/** What does not go together: of two circles, or of a circle and the domain that the deployment receives mail for. */
export function circleFaults(circles: readonly DeployedCircle[], domain: string): Fault[] {
  return circles.flatMap((deployed, index) => [
    ...strayAddresses(deployed, index, domain),
    ...repetitions(deployed, index, circles.slice(0, index)),
  ]);
}

/** SES receives for the domain alone, and sends from it alone: it is the one that is verified. */
function strayAddresses({ file, circle }: DeployedCircle, index: number, domain: string): Fault[] {
  const at = ['circles', index];
  const faults: Fault[] = Object.entries({
    inbox: circle.inbox,
    'senders.notices': circle.senders.notices,
    'senders.letters': circle.senders.letters,
  })
    .filter(([, address]) => !address.endsWith(`@${domain}`))
    .map(([field]) => ({
      at,
      what: `\`${field}\` of \`${file}\` is not an address of \`mail.domain\`; write one that ends in \`@${domain}\``,
    }));
  if (circle.senders.notices === circle.senders.letters) {
    // The rights to send are told apart by the sender: whoever notifies may not write letters.
    faults.push({
      at,
      what: `\`senders\` of \`${file}\` are one address; write another for \`letters\` than for \`notices\``,
    });
  }
  return faults;
}

function repetitions(
  { file, circle }: DeployedCircle,
  index: number,
  before: readonly DeployedCircle[],
): Fault[] {
  const at = ['circles', index];
  return before.flatMap((other) => [
    ...(other.circle.id === circle.id
      ? [{ at, what: `\`id\` of \`${file}\` is the one of \`${other.file}\`; write another` }]
      : []),
    ...(other.circle.inbox === circle.inbox
      ? [{ at, what: `\`inbox\` of \`${file}\` is the one of \`${other.file}\`; write another` }]
      : []),
    ...(other.circle.senders.notices === circle.senders.letters ||
    other.circle.senders.letters === circle.senders.notices
      ? [
          {
            at,
            what: `\`senders\` of \`${file}\` use an address of \`${other.file}\` for the other purpose; write another`,
          },
        ]
      : []),
  ]);
}
