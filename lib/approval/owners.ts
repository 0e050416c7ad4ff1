import { type Circle, circleRoles, type Person } from '../provenance/circle.ts';

/** The owners of a circle, or everybody where nobody is one: somebody always hears of what went wrong. */
export function ownersOf(circle: Circle): Person[] {
  const [owner = 'owner'] = circleRoles;
  const owners = circle.people.filter(({ roles }) => roles.includes(owner));
  return owners.length > 0 ? owners : [...circle.people];
}
