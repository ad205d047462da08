// Which part of GitHub's GraphQL schema we use, and the pruning to it; for build-description.mjs.

/** Object types and interfaces with the fields kept; what a field's arguments need (inputs, enums, scalars) follows by itself. */
const CONNECTION = 'nodes pageInfo totalCount';
const FIELDS = {
  Query: 'id node nodes repository viewer rateLimit',
  Mutation: `createCommitOnBranch createRef deleteRef updateRef minimizeComment unminimizeComment markPullRequestReadyForReview
    convertPullRequestToDraft revertPullRequest`,
  CreateCommitOnBranchPayload: 'clientMutationId commit ref',
  CreateRefPayload: 'clientMutationId ref',
  DeleteRefPayload: 'clientMutationId',
  UpdateRefPayload: 'clientMutationId ref',
  MinimizeCommentPayload: 'clientMutationId minimizedComment',
  UnminimizeCommentPayload: 'clientMutationId unminimizedComment',
  MarkPullRequestReadyForReviewPayload: 'clientMutationId pullRequest',
  ConvertPullRequestToDraftPayload: 'clientMutationId pullRequest',
  RevertPullRequestPayload: 'clientMutationId pullRequest revertPullRequest',
  Node: 'id',
  Actor: 'avatarUrl login resourcePath url',
  RepositoryOwner: 'id login url',
  Closable: 'closed closedAt',
  Comment: 'author authorAssociation body createdAt editor id includesCreatedEdit lastEditedAt updatedAt',
  Minimizable: 'isMinimized minimizedReason viewerCanMinimize',
  GitObject: 'abbreviatedOid id oid repository',
  UniformResourceLocatable: 'resourcePath url',
  User: 'avatarUrl databaseId id login name resourcePath url',
  Bot: 'avatarUrl createdAt databaseId id login resourcePath url',
  Organization: 'avatarUrl databaseId id login name resourcePath url',
  ClosedEvent: 'actor closer createdAt id resourcePath url',
  ProjectV2: 'closed closedAt id title',
  IssueTimelineItemsConnection: CONNECTION,
  RateLimit: 'cost limit nodeCount remaining resetAt used',
  Repository: `databaseId defaultBranchRef id isArchived isEmpty isFork isPrivate issue issueOrPullRequest issues label labels name nameWithOwner
    object owner pullRequest pullRequests ref refs resourcePath url visibility`,
  Issue: `author authorAssociation body closed closedAt closedByPullRequestsReferences comments createdAt databaseId editor id
    includesCreatedEdit labels lastEditedAt locked number repository resourcePath state stateReason timelineItems title updatedAt url
    userContentEdits`,
  PullRequest: `additions author authorAssociation baseRef baseRefName baseRefOid baseRepository body changedFiles closed closedAt
    closingIssuesReferences comments commits createdAt databaseId deletions editor headRef headRefName headRefOid headRepository
    headRepositoryOwner id includesCreatedEdit isCrossRepository isDraft labels lastEditedAt locked mergeCommit mergeable merged mergedAt
    number repository resourcePath reviews state title updatedAt url userContentEdits`,
  PullRequestReview: `author authorAssociation body comments commit createdAt databaseId editor id includesCreatedEdit isMinimized
    lastEditedAt minimizedReason pullRequest repository resourcePath state submittedAt updatedAt url userContentEdits viewerCanMinimize`,
  PullRequestReviewConnection: CONNECTION,
  PullRequestReviewComment: `author authorAssociation body commit createdAt databaseId diffHunk editor id includesCreatedEdit isMinimized
    lastEditedAt line minimizedReason originalLine originalStartLine outdated path pullRequest repository resourcePath startLine updatedAt
    url userContentEdits viewerCanMinimize`,
  PullRequestReviewCommentConnection: CONNECTION,
  IssueComment: `author authorAssociation body createdAt databaseId editor id includesCreatedEdit isMinimized issue lastEditedAt
    minimizedReason pullRequest repository resourcePath updatedAt url userContentEdits viewerCanMinimize`,
  UserContentEdit: 'createdAt deletedAt diff editedAt editor id updatedAt',
  UserContentEditConnection: CONNECTION,
  Label: 'color description id name url',
  LabelConnection: CONNECTION,
  IssueCommentConnection: CONNECTION,
  PullRequestConnection: CONNECTION,
  IssueConnection: CONNECTION,
  PullRequestCommit: 'commit id pullRequest resourcePath url',
  PullRequestCommitConnection: CONNECTION,
  PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
  Ref: 'id name prefix repository target',
  RefConnection: CONNECTION,
  Commit: `abbreviatedOid additions associatedPullRequests author changedFilesIfAvailable committedDate committer deletions id message
    messageBody messageHeadline oid parents repository resourcePath signature statusCheckRollup tree url`,
  CommitConnection: CONNECTION,
  GitActor: 'date email name user',
  GitSignature: 'email isValid state wasSignedByGitHub',
  StatusCheckRollup: 'id state',
  Tree: 'abbreviatedOid entries id oid repository',
  TreeEntry: 'mode name object oid path size type',
  Blob: 'abbreviatedOid byteSize id isBinary isTruncated oid repository text',
  Tag: 'abbreviatedOid id message name oid repository target',
};

/** The document cut down to FIELDS. Throws where GitHub no longer has one of them. */
export function prunedGraphql(document) {
  const known = new Map(document.definitions.filter(({ name }) => name).map((one) => [one.name.value, one]));
  const reached = new Set(Object.keys(FIELDS));
  const kept = new Map();
  for (const name of reached) {
    const definition = known.get(name);
    if (definition === undefined) throw new Error(`GitHub's GraphQL schema has no ${name}`);
    kept.set(name, prunedType(definition, reached));
  }
  const definitions = [...kept.keys()].sort().map((name) => kept.get(name));
  return { kind: 'Document', definitions };
}

function prunedType(definition, reached) {
  const plain = { ...definition, description: undefined, directives: [] };
  switch (definition.kind) {
    case 'ObjectTypeDefinition':
    case 'InterfaceTypeDefinition': {
      const interfaces = definition.interfaces.filter(({ name }) => name.value in FIELDS);
      return { ...plain, interfaces, fields: keptFields(definition, reached) };
    }
    case 'InputObjectTypeDefinition':
      return { ...plain, fields: definition.fields.map((field) => plainInput(field, reached)) };
    case 'EnumTypeDefinition':
      return {
        ...plain,
        values: definition.values.map((value) => ({ ...value, description: undefined, directives: [] })),
      };
    case 'UnionTypeDefinition':
      return { ...plain, types: definition.types.filter(({ name }) => name.value in FIELDS) };
    default:
      return plain;
  }
}

function keptFields(definition, reached) {
  const name = definition.name.value;
  if (FIELDS[name] === undefined) throw new Error(`${name} is needed: add its fields, or leave out what leads to it`);
  const wanted = FIELDS[name].split(/\s+/);
  return wanted.map((field) => {
    const found = definition.fields.find((one) => one.name.value === field);
    if (found === undefined) throw new Error(`GitHub's GraphQL schema has no ${name}.${field}`);
    reach(found.type, reached);
    const parameters = (found.arguments ?? []).map((argument) => plainInput(argument, reached));
    return { ...found, description: undefined, directives: [], arguments: parameters };
  });
}

function plainInput(input, reached) {
  reach(input.type, reached);
  return { ...input, description: undefined, directives: [] };
}

/** Notes a type as needed; an object type comes in by FIELDS alone, or a subset would grow to the whole. */
function reach(type, reached) {
  const name = namedType(type);
  if (!['String', 'Int', 'Float', 'Boolean', 'ID'].includes(name)) reached.add(name);
}

function namedType(type) {
  return type.kind === 'NamedType' ? type.name.value : namedType(type.type);
}
