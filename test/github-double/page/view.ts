// What every page of one repository has at hand: names, times, avatars, and texts rendered as GitHub would.
import type { GithubDouble } from '../double.ts';
import { gitText } from '../git/run-git.ts';
import { fullName } from '../lookup.ts';
import type { Account, Repository } from '../state.ts';
import { Html, html } from './html.ts';
import { renderMarkdown } from './markdown.ts';

export interface View {
  readonly double: GithubDouble;
  readonly repository: Repository;
  /** `owner/name`. */
  readonly name: string;
  /** Without the forms, as a reader who is not signed in sees it. */
  readonly isReading: boolean;
}

export function viewOf(double: GithubDouble, repository: Repository, isReading: boolean): View {
  return { double, repository, name: fullName(double.state, repository), isReading };
}

const COLOURS = ['#8250df', '#0969da', '#1a7f37', '#bf3989', '#bc4c00', '#4d2d00', '#0550ae', '#57606a'];
const STEPS: readonly (readonly [string, number])[] = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
];

export function avatar(account: Account | undefined, size: number): Html {
  const login = account?.login ?? 'ghost';
  const shape = account?.type === 'User' || account === undefined ? 'round' : 'square';
  const colour = COLOURS[(account?.id ?? 7) % COLOURS.length] ?? '#57606a';
  const style = `width:${size}px;height:${size}px;line-height:${size}px;font-size:${Math.round(size * 0.5)}px;background:${colour}`;
  return html`<span class="avatar ${shape}" style="${style}" aria-hidden="true">${login.slice(0, 1).toUpperCase()}</span>`;
}

/** The name with what GitHub sets behind it for an App. */
export function author(account: Account | undefined): Html {
  const login = account?.login ?? 'ghost';
  const isBot = account?.type === 'Bot';
  const name = isBot ? login.replace(/\[bot\]$/, '') : login;
  return html`<a class="author" href="/${isBot ? `apps/${name}` : name}">${name}</a>${
    isBot && html` <span class="pill">bot</span>`
  }`;
}

export function accountOf({ double }: View, id: number | null): Account | undefined {
  return id === null ? undefined : double.state.accounts.get(id);
}

export function ago({ double }: View, at: string): Html {
  const seconds = Math.max(0, (double.state.clock.now().getTime() - Date.parse(at)) / 1_000);
  return html`<time datetime="${at}" title="${at}">${inWords(seconds, at)}</time>`;
}

function inWords(seconds: number, at: string): string {
  if (seconds < 60) return 'now';
  const [unit, length] = STEPS.findLast(([, long]) => seconds >= long) ?? ['minute', 60];
  const count = Math.floor(seconds / length);
  if (unit === 'day' && count > 29) return `on ${at.slice(0, 10)}`;
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** A text that people or Apps wrote, as it stands on GitHub; inert. */
export function rendered({ double, name }: View, source: string | null): Html {
  if (source === null || source.trim() === '') return html`<p class="muted"><em>No description provided.</em></p>`;
  return new Html(renderMarkdown(source, { repository: name, webUrl: double.webUrl }).html);
}

export async function branchesOf({ repository }: View): Promise<readonly string[]> {
  const out = await gitText(repository.gitDir, ['for-each-ref', '--format=%(refname:short)', 'refs/heads/']);
  return out === '' ? [] : out.split('\n');
}

/** A path in an address. */
export function inAddress(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
