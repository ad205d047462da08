// What somebody wants of a new token, read from the form: as it was typed, as it counts, and with a fault beside each field.
import { DEFAULT_SCOPES, SCOPES, type Scope, type TokenRecord } from '../../core/account.ts';
import { newId } from '../../core/ids.ts';
import { inertLine, inertText } from '../../core/inert-text.ts';
import type { Project } from '../../core/project.ts';
import type { Form } from '../read-form.ts';

export const LONGEST_NAME = 100;
/** More projects than these are named, one a line, instead of ticked. */
export const MOST_BOXES = 200;

/** Days; null: it does not expire. */
export const EXPIRIES = { '7': 7, '30': 30, '90': 90, '365': 365, never: null } as const;
export type Expiry = keyof typeof EXPIRIES;

export type WishField = 'name' | 'scope' | 'projects' | 'expiry';

export interface TokenWish {
  /** Inert, and as long as it was typed. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly bound: 'all' | 'chosen';
  /** Chosen ones among those that the person sees. */
  readonly projectIds: readonly string[];
  /** What was typed where there are too many to tick; inert. */
  readonly typedProjects: string;
  readonly expiry: Expiry;
}

/** In words, each for the field that it stands beside. */
export type WishFaults = Partial<Readonly<Record<WishField, string>>>;

export const FIRST_WISH: TokenWish = {
  name: '',
  scopes: DEFAULT_SCOPES,
  bound: 'all',
  projectIds: [],
  typedProjects: '',
  expiry: '90',
};

/** `projects`: those that the person sees; of all others nothing is known here. */
export function readWish(
  form: Form,
  projects: readonly Project[],
): { readonly wish: TokenWish; readonly faults: WishFaults } {
  const name = inertLine(form.text('name'), 10 * LONGEST_NAME);
  const scopes = SCOPES.filter((scope) => form.all('scope').includes(scope));
  const bound = form.text('bound') === 'all' ? 'all' : 'chosen';
  const { projectIds, typedProjects, unknown } = chosenOf(form, projects);
  const expiry = form.text('expiry');
  const faults: Partial<Record<WishField, string>> = {};
  if (name === '') faults.name = 'Give it a name, such as that of the program that will use it.';
  if (name.length > LONGEST_NAME) faults.name = `The name may have ${LONGEST_NAME} characters at most.`;
  if (scopes.length === 0) faults.scope = 'Choose at least one thing that the token may do.';
  const projectFault = faultOfProjects(bound, projectIds, unknown);
  if (projectFault !== '') faults.projects = projectFault;
  if (!isExpiry(expiry)) faults.expiry = 'Choose one of these.';
  const wish = {
    name,
    scopes,
    bound,
    projectIds,
    typedProjects,
    expiry: isExpiry(expiry) ? expiry : FIRST_WISH.expiry,
  } as const;
  return { wish, faults };
}

/** The record of a token as wished, made now. */
export function recordOf(wish: TokenWish, accountId: string, now: Date): TokenRecord {
  return {
    id: newId('tok'),
    accountId,
    name: wish.name,
    scopes: wish.scopes,
    projectIds: wish.bound === 'all' ? null : wish.projectIds,
    createdAt: now.toISOString(),
    expiresAt: expiresAt(wish.expiry, now),
    lastUsedAt: null,
    revokedAt: null,
  };
}

/** ISO 8601; null: never. */
export function expiresAt(expiry: Expiry, now: Date): string | null {
  const days = EXPIRIES[expiry];
  return days === null ? null : new Date(now.getTime() + days * 24 * 3_600_000).toISOString();
}

function isExpiry(text: string): text is Expiry {
  return Object.hasOwn(EXPIRIES, text);
}

interface Chosen {
  readonly projectIds: readonly string[];
  readonly typedProjects: string;
  /** Inert; names and ids of nothing that the person sees. */
  readonly unknown: readonly string[];
}

/** By id (ticked) or by name in whatever case (typed). */
function chosenOf(form: Form, projects: readonly Project[]): Chosen {
  const typedProjects = inertText(form.text('project_names'), 20_000);
  const known = new Map(
    projects.flatMap(
      ({ id, name }) =>
        [
          [id, id],
          [name.toLowerCase(), id],
        ] as const,
    ),
  );
  const lines = typedProjects.split('\n').map((line) => line.trim());
  const wanted = [...form.all('project'), ...lines].filter((text) => text !== '');
  const idOf = (text: string) => known.get(text) ?? known.get(text.toLowerCase());
  return {
    typedProjects,
    projectIds: [...new Set(wanted.flatMap((text) => idOf(text) ?? []))],
    unknown: wanted.filter((text) => idOf(text) === undefined).map((text) => inertLine(text, 80)),
  };
}

const MOST_NAMED = 5;

/** `all` beside chosen ones could be meant either way, and the wrong guess would open too much. */
function faultOfProjects(bound: TokenWish['bound'], chosen: readonly string[], unknown: readonly string[]): string {
  if (unknown.length > 0) {
    const more = unknown.length > MOST_NAMED ? `, and ${unknown.length - MOST_NAMED} more` : '';
    return `Not among your projects: ${unknown.slice(0, MOST_NAMED).join(', ')}${more}.`;
  }
  if (bound === 'all' && chosen.length > 0) {
    return 'You chose projects, and “all of yours” as well: take one of the two.';
  }
  if (bound === 'chosen' && chosen.length === 0) return 'Choose at least one project, or “all of yours”.';
  return '';
}
