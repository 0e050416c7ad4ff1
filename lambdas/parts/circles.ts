import { CaregateError } from '../../lib/errors.ts';
import type { Circle } from '../../lib/provenance/circle.ts';
import { circleNamed, loadDeployedCircles } from '../../lib/provenance/circles.ts';
import { type Part, part } from './part.ts';

/** Every circle of this deployment. */
export const circles = part((source) => loadDeployedCircles(source.setting('CAREGATE_CIRCLES')));

/** The circle that the event is about, and no other: a step that was started for one never sees another's. */
export const circle: Part<Circle> = (source) => {
  if (source.circle !== undefined) return circleNamed(circles(source), source.circle);
  throw new CaregateError('INVALID_INPUT', 'field `circle` of the event is missing; name the circle');
};
