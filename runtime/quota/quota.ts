/**
 * What quotas count: how much one object uses of what quotas limit, which objects a quota counts, and what its status says of it. Pure
 * functions, for the server, which charges what requests add, and the controller, which counts again.
 */

export { isQuotable, namesByResource, quotableKinds } from './counted-resources.ts'
export { isStatusCurrent, limitedResources, usedResources, withUsed } from './quota-status.ts'
export { isScoped, matchesScopes } from './scopes.ts'
export {
  addUsage,
  mayUseLess,
  objectCountUsage,
  type Usage,
  usageOf,
  usedAt,
  usesOnlyCount,
} from './usage.ts'
