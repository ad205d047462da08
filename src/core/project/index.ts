// Projects, their settings and scopes, and people.
export { isAtLeast, NOBODY, type Person, ROLES, type Role } from './person.ts';
export {
  type GithubProject,
  type GithubSource,
  getRepository,
  type Installation,
  type InstalledRepository,
  isGithubProject,
  type PermissionLevel,
  type Project,
  type ProjectSource,
} from './project.ts';
export {
  createScopeMatcher,
  findReportScopes,
  findScopeOf,
  keepNamed,
  nameScopes,
  type Scope,
  type ScopeNames,
} from './scopes.ts';
export {
  type ConfigurationOf,
  DEFAULT_SETTINGS,
  type EffectiveConfiguration,
  type EffectiveMode,
  type EffectiveValue,
  type InvestigationSettings,
  type ValueSource,
} from './settings.ts';
