// People and their issues and pull requests: opened, labelled, commented, edited, merged, reviewed.
import { addComment, deleteComment, editComment, react } from '../deeds/comments.ts';
import { addLabels, editIssue, ensureLabel, type IssueEdit, openIssue, removeLabel, touch } from '../deeds/issues.ts';
import { mergePull, openPull, requestReview, setDraft } from '../deeds/pulls.ts';
import { account, repository } from '../lookup.ts';
import type { Comment, Issue, Label, Reaction, Repository, State } from '../state.ts';
import type { Attachment } from '../state-beside.ts';

interface WrittenIssue {
  readonly by: string;
  readonly title: string;
  readonly body?: string | null;
  /** Also what an issue template sets: announced as labelled by the author. */
  readonly labels?: readonly string[];
}

interface WrittenPull {
  readonly by: string;
  readonly title: string;
  readonly body?: string | null;
  readonly head: string;
  /** `owner/name` of a fork; default: the repository itself. */
  readonly headRepository?: string;
  readonly base?: string;
  readonly draft?: boolean;
  /** Issues linked by hand. */
  readonly closes?: readonly number[];
}

export type ThreadVerbs = ReturnType<typeof issueVerbs> &
  ReturnType<typeof commentVerbs> &
  ReturnType<typeof pullVerbs>;

export function threadVerbs(state: State): ThreadVerbs {
  return { ...issueVerbs(state), ...commentVerbs(state), ...pullVerbs(state) };
}

function issueVerbs(state: State) {
  return {
    openIssue(name: string, made: WrittenIssue): Issue {
      const authorId = account(state, made.by).id;
      return openIssue(state, repository(state, name), { ...made, body: made.body ?? null, authorId });
    },
    issue: (name: string, number: number): Issue => thread(state, name, number),
    makeLabel: (name: string, label: string, more: Partial<Label> = {}): Label =>
      ensureLabel(state, repository(state, name), label, more),
    label(name: string, number: number, label: string, by: string): void {
      const names = [label];
      addLabels(state, repository(state, name), thread(state, name, number), {
        names,
        senderId: account(state, by).id,
      });
    },
    unlabel(name: string, number: number, label: string, by: string): void {
      removeLabel(state, repository(state, name), thread(state, name, number), {
        name: label,
        senderId: account(state, by).id,
      });
    },
    /** Title, body, open or closed; of pull requests too. */
    edit(name: string, number: number, edit: IssueEdit & { readonly by: string }): void {
      editIssue(state, repository(state, name), thread(state, name, number), edit, account(state, edit.by).id);
    },
    close(name: string, number: number, by: string): void {
      editIssue(
        state,
        repository(state, name),
        thread(state, name, number),
        { state: 'closed' },
        account(state, by).id,
      );
    },
    reopen(name: string, number: number, by: string): void {
      editIssue(state, repository(state, name), thread(state, name, number), { state: 'open' }, account(state, by).id);
    },
    /** Nobody but collaborators may comment any more. */
    lock(name: string, number: number): void {
      thread(state, name, number).locked = true;
      touch(state, thread(state, name, number));
    },
  };
}

function commentVerbs(state: State) {
  return {
    comment(name: string, number: number, made: { readonly by: string; readonly body: string }): Comment {
      const authorId = account(state, made.by).id;
      return addComment(state, repository(state, name), thread(state, name, number), { body: made.body, authorId });
    },
    editComment(name: string, id: number, made: { readonly by: string; readonly body: string }): void {
      const found = repository(state, name);
      editComment(state, found, comment(found, id), made.body, account(state, made.by).id);
    },
    deleteComment(name: string, id: number, by: string): void {
      const found = repository(state, name);
      deleteComment(state, found, comment(found, id), account(state, by).id);
    },
    /** Oldest first. */
    comments: (name: string, number: number): readonly Comment[] =>
      [...repository(state, name).comments.values()].filter((one) => one.issueNumber === number),
    react(to: Issue | Comment, content: Reaction['content'], by: string): void {
      react(state, to, { userId: account(state, by).id, content });
    },
    /** A file as people drop it into a text; returns its address. */
    attach(
      name: string,
      file: Pick<Attachment, 'body'> & { readonly fileName: string; readonly type?: string },
    ): string {
      const path = `/user-attachments/files/${state.nextId()}/${encodeURIComponent(file.fileName)}`;
      const type = file.type ?? 'text/plain';
      state.attachments.set(path, { path, body: file.body, type, repositoryId: repository(state, name).id });
      return `${state.urls.web}${path}`;
    },
  };
}

function pullVerbs(state: State) {
  return {
    async openPull(name: string, made: WrittenPull): Promise<Issue> {
      const found = repository(state, name);
      const opened = await openPull(state, found, {
        title: made.title,
        body: made.body ?? null,
        authorId: account(state, made.by).id,
        head: made.headRepository === undefined ? found : repository(state, made.headRepository),
        headRef: made.head,
        baseRef: made.base ?? found.defaultBranch,
        isDraft: made.draft ?? false,
        closes: made.closes ?? [],
      });
      if (!('number' in opened)) throw new Error(`GitHub would refuse this pull request: ${JSON.stringify(opened)}`);
      return opened;
    },
    /** Returns the merge commit. */
    merge: (name: string, number: number, by: string): Promise<string> =>
      mergePull(state, repository(state, name), thread(state, name, number), account(state, by).id),
    markReady(name: string, number: number, by: string): void {
      const byId = account(state, by).id;
      setDraft(state, repository(state, name), thread(state, name, number), { isDraft: false, byId });
    },
    convertToDraft(name: string, number: number, by: string): void {
      const byId = account(state, by).id;
      setDraft(state, repository(state, name), thread(state, name, number), { isDraft: true, byId });
    },
    requestReview(name: string, number: number, reviewer: string, by: string): void {
      const ids = { reviewerId: account(state, reviewer).id, senderId: account(state, by).id };
      requestReview(state, repository(state, name), thread(state, name, number), ids);
    },
    pulls: (name: string): readonly Issue[] =>
      [...repository(state, name).issues.values()].filter((one) => one.pull !== null),
  };
}

function thread(state: State, name: string, number: number): Issue {
  const found = repository(state, name).issues.get(number);
  if (found === undefined) throw new Error(`${name} has no issue or pull request #${number}.`);
  return found;
}

function comment(found: Repository, id: number): Comment {
  const one = found.comments.get(id);
  if (one === undefined) throw new Error(`${found.name} has no comment ${id}.`);
  return one;
}
