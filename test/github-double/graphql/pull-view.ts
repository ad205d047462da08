// What GraphQL shows of a pull request beyond what it shares with issues.
import { closes } from '../deeds/pulls.ts';
import { branchSha, listCommits } from '../git/read-objects.ts';
import { owner } from '../lookup.ts';
import { nodeId } from '../resources/node-id.ts';
import { headRepository } from '../resources/pull.ts';
import type { Issue, Repository } from '../state.ts';
import type { Pull } from '../state-pulls.ts';
import { actorView } from './actor-view.ts';
import { connection, type PageArguments, type View } from './context.ts';
import { commitView, refView } from './git-views.ts';
import { reviewView } from './review-view.ts';

export function pullFields(call: View, repository: Repository, issue: Issue, pull: Pull) {
  const head = headRepository(call.state, pull);
  const branch = async (of: Repository | null, name: string) => {
    const sha = of === null ? null : await branchSha(of.gitDir, name);
    return of === null || sha === null ? null : refView(call, of, { name: `refs/heads/${name}`, sha });
  };
  const now = pull.mergedAt === null ? issue.state.toUpperCase() : 'MERGED';
  return {
    __typename: 'PullRequest',
    state: now,
    isDraft: pull.isDraft,
    merged: pull.mergedAt !== null,
    mergedAt: pull.mergedAt,
    mergeable: issue.state === 'open' ? 'MERGEABLE' : 'UNKNOWN',
    mergeCommit: () => (pull.mergeSha === null ? null : commitView(call, repository, pull.mergeSha)),
    additions: pull.stats.additions,
    deletions: pull.stats.deletions,
    changedFiles: pull.stats.files,
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    baseRef: () => branch(repository, pull.baseRef),
    baseRepository: () => call.show.repository(call, repository),
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    headRef: () => branch(head, pull.headRef),
    headRepository: () => (head === null ? null : call.show.repository(call, head)),
    headRepositoryOwner: () => (head === null ? null : actorView(call, owner(call.state, head).id)),
    isCrossRepository: pull.headRepositoryId !== repository.id,
    commits: async (args: PageArguments) => {
      const shas = await listCommits(repository.gitDir, pull.headSha, ['--reverse', `^${pull.baseSha}`]);
      return connection(shas, args, (sha) => ({
        __typename: 'PullRequestCommit',
        id: nodeId('C', repository.id, issue.number, sha),
        commit: () => commitView(call, repository, sha),
      }));
    },
    reviews: (args: PageArguments) => connection(pull.reviews, args, (one) => reviewView(call, repository, issue, one)),
    closingIssuesReferences: (args: PageArguments) => {
      const issues = [...closes(issue)]
        .map((number) => repository.issues.get(number))
        .filter((one) => one !== undefined);
      return connection(issues, args, (one) => call.show.thread(call, repository, one));
    },
  };
}
