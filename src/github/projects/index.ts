// Installations and repositories as projects, and who may read them.
export { createContextAccess } from './context-access.ts';
export { createInTurn } from './in-turn.ts';
export { hasNext, toInstalledRepository } from './listings.ts';
export {
  type AllowsOwner,
  createOwnerRule,
  createProjectSync,
  type OwnerRuleOptions,
  type ProjectSync,
} from './project-sync.ts';
export { createRedelivery } from './redelivery.ts';
export { createPermissions, type GithubPermissions } from './roles.ts';
