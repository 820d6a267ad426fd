/** What keeps roles and bindings. */
export { accessKinds, syncDefaultAccess } from './default-access.ts'
export { roleAggregationController, syncRoleAggregation } from './role-aggregation.ts'
