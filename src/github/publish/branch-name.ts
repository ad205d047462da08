// Names of our branches: the same for the same Issue, so that one made just before a crash is found again.
import type { Subject } from '../../core/thread.ts';

const PREFIX = 'causeway/';
const SHORT = 6;
const NAMES = 3;

/** In the order in which they are tried: somebody else may have one of that name. */
export function branchNames(subject: Subject, issueId: string): readonly string[] {
  const random = issueId.slice(issueId.indexOf('_') + 1).replace(/[^0-9A-Za-z]/g, '');
  return Array.from({ length: NAMES }, (_, index) => {
    const short = random.slice(index * SHORT, (index + 1) * SHORT);
    return `${PREFIX}${subjectName(subject)}-${short}`;
  });
}

/** What the names of all branches for this subject begin with; null where each has a name of its own. */
export function branchPrefix(subject: Subject): string | null {
  return subject.kind === 'report' ? null : `${PREFIX}${subjectName(subject)}-`;
}

export function isOurBranch(name: string): boolean {
  return name.startsWith(PREFIX);
}

function subjectName(subject: Subject): string {
  switch (subject.kind) {
    case 'issue':
      return `issue-${subject.number}`;
    case 'pull_request':
      return `pull-${subject.number}`;
    case 'failure':
    case 'report':
      return subject.kind;
  }
}
