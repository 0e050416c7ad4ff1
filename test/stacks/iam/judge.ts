import type { Claim } from './claims.ts';
import { administrator, type Deployed, type DeployedRole, decide } from './deployed.ts';
import type { Probe } from './probes.ts';
import { account } from './symbols.ts';
import { look } from './views.ts';

/** The role that forgets content, by the name that claims call it. */
export const forget = 'forget';

/** The roles that claims are about: those of the functions, and the one that forgets. */
export function judgedRoles(deployed: Deployed): DeployedRole[] {
  const forgetting = [...deployed.others.values()].filter(({ arn }) => arn.endsWith(`-${forget}`));
  return [...deployed.functions.values(), ...forgetting.map((role) => ({ ...role, name: forget }))];
}

/** Somebody of the account, beside all roles of the deployment, whom nothing of his own holds back. */
const anyone = administrator(`arn:aws:iam::${account}:role/Administrator`);

/**
 * Where a claim does not hold, in words.
 * @param roles those to judge, where it is known that nothing changed for the others
 */
export function violations(claim: Claim, deployed: Deployed, roles: readonly DeployedRole[]): string[] {
  const { only, among, asked, byDenial } = claim;
  const about = roles.filter(({ name }) => among?.includes(name) ?? true);
  return asked.flatMap((request) => {
    const what = `${request.action} on ${request.resource}`;
    const found = about.flatMap((role) => {
      if (only.includes(role.name)) {
        const { decision, by } = look('effective', deployed, role, request);
        return decision === 'allowed' ? [] : [`\`${role.name}\` may not ${what}: ${decision} by ${by}`];
      }
      return [
        ...(byDenial !== true && look('granted', deployed, role, request).decision === 'allowed'
          ? [`\`${role.name}\` is given ${what}`]
          : []),
        ...(look('utmost', deployed, role, request).decision === 'explicitly denied'
          ? []
          : [`nothing denies \`${role.name}\` ${what}`]),
      ];
    });
    const beyond =
      claim.forAll === true && decide(deployed, anyone, request).decision !== 'explicitly denied'
        ? [`nothing denies an administrator ${what}`]
        : [];
    return [...found, ...beyond];
  });
}

/** Rights that hold for every function and are no matter of a duty. */
const everybodys = new Set(['kms:Decrypt', 'xray:PutTraceSegments', 'xray:PutTelemetryRecords']);

/** Where a role is given more or could do more than the other of the two says: each ends exactly where the other does. */
export function gaps(probes: readonly Probe[], deployed: Deployed, roles: readonly DeployedRole[]): string[] {
  return roles.flatMap((role) =>
    probes
      .filter(({ asked }) => !everybodys.has(asked.action))
      .flatMap(({ what, asked }) => {
        const given = look('granted', deployed, role, asked).decision === 'allowed';
        const open = look('utmost', deployed, role, asked).decision === 'allowed';
        if (given === open) return [];
        return [
          given
            ? `\`${role.name}\` is given what is denied: ${what}`
            : `nothing denies \`${role.name}\`: ${what}`,
        ];
      }),
  );
}

/** What roles are given of what nobody needs. */
export function strays(
  probes: readonly Probe[],
  deployed: Deployed,
  roles: readonly DeployedRole[],
): string[] {
  return roles.flatMap((role) =>
    probes
      .filter(({ asked }) => look('granted', deployed, role, asked).decision === 'allowed')
      .map(({ what }) => `\`${role.name}\` is given ${what}`),
  );
}
