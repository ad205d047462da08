// All routes of the double's REST API; of two that fit the first one answers.
import type { Route } from '../route.ts';
import { actionsRoutes } from './actions.ts';
import { appRoutes, repositoryRoutes, userRoutes } from './app.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { commitRoutes } from './commits.ts';
import { contentRoutes } from './contents.ts';
import { gitDataRoutes } from './git-data.ts';
import { issueRoutes } from './issues.ts';
import { pullRoutes, reviewRoutes } from './pulls.ts';
import { refRoutes } from './refs.ts';
import { statusRoutes } from './statuses.ts';

// Comments before issues: `/issues/comments/…` fits both. Checks before commits: `/commits/{ref}` takes slashes.
export const routes: readonly Route[] = [
  ...appRoutes,
  ...userRoutes,
  ...repositoryRoutes,
  ...contentRoutes,
  ...gitDataRoutes,
  ...refRoutes,
  ...checkRoutes,
  ...statusRoutes,
  ...commitRoutes,
  ...commentRoutes,
  ...issueRoutes,
  ...reviewRoutes,
  ...pullRoutes,
  ...actionsRoutes,
];
