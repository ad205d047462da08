// Where a thread's texts stand on GitHub, as the renderers need to know it.
import type { Subject } from '../../core/thread.ts';
import type { Place } from '../render/ground.ts';
import type { View } from './deps.ts';
import { type MarkerKind, markerText } from './marker.ts';

export function placeOf({ project, thread, webUrl }: View, kind: MarkerKind): Place {
  return {
    repository: project.name,
    webUrl,
    isPublic: !project.source.isPrivate,
    subject: thread.subject,
    marker: markerText({ threadId: thread.id, investigationId: thread.investigationId, kind }),
    askedBy: thread.trigger.by.login,
  };
}

/** Of the issue or pull request where people are told; null: there is no such place. */
export function placeNumber(subject: Subject): number | null {
  return subject.kind === 'issue' || subject.kind === 'pull_request' ? subject.number : null;
}
