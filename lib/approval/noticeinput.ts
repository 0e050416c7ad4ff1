import * as z from 'zod';
import { circleIdSchema } from '../casefile/schemas.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Notice } from './notice.ts';
import { type NoticeKind, noticeKindNames, noticeKinds } from './noticekinds.ts';

/** A notice as one function hands it to another: with the id of its circle, since `notify` knows its own circles. */
export const noticeInputSchema = z.strictObject({
  circle: circleIdSchema,
  notice: z.strictObject({
    id: z.string().min(1).max(200),
    kind: z.enum(noticeKindNames as [NoticeKind, ...NoticeKind[]]),
    people: z.array(z.string()).min(1).max(50),
    slots: z.unknown(),
  }),
});
export type NoticeInput = z.infer<typeof noticeInputSchema>;

/** The notice, with the circle of that id as this deployment has it. Its slots have the form of its kind. */
export function toNotice({ notice }: NoticeInput, circle: Circle): Notice {
  const { id, kind, people, slots } = notice;
  return { id, kind, people, circle, slots: noticeKinds[kind].parse(slots) } as Notice;
}
