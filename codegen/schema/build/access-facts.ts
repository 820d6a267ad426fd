/** The file of the roles and bindings that a server begins with. */
import type { AccessFacts } from '../../../runtime/kernel/descriptors/access-facts.ts'
import type { Report } from '../finding.ts'
import type { Shape } from '../keys/shape.ts'
import { get, items, plain, text, type YamlNode } from '../yaml/node.ts'
import { checkShape } from './mapping-shape.ts'
import { oneOf } from './server-facts.ts'

const fileShape: Shape = {
  label: 'mapping!',
  annotation: 'string!',
  clusterRoles: 'list!',
  clusterRoleBindings: 'list!',
  roles: 'list!',
  roleBindings: 'list!',
}
const roleShape: Shape = {
  name: 'string!',
  namespace: 'string',
  gate: 'string',
  labels: 'mapping',
  aggregates: 'strings',
  rules: 'list',
}
const ruleShape: Shape = {
  verbs: 'strings!',
  apiGroups: 'strings',
  resources: 'strings',
  resourceNames: 'strings',
  nonResourceURLs: 'strings',
  gate: 'string',
}
const bindingShape: Shape = {
  name: 'string!',
  namespace: 'string',
  gate: 'string',
  role: 'string!',
  subjects: 'list!',
}
const subjectShape: Shape = { kind: 'string!', namespace: 'string', name: 'string!' }

/** What `access.yaml` says, in one row. A binding must name a role of the file. */
export function readAccess(node: YamlNode | undefined, report: Report): readonly AccessFacts[] {
  if (node === undefined || !checkShape(node, 'a file of access', fileShape, report)) return []
  const rows = (key: string, shape: Shape): readonly YamlNode[] =>
    items(get(node, key)).filter((each) => checkShape(each, `one of "${key}"`, shape, report))
  const pairs = [
    [rows('clusterRoles', roleShape), rows('clusterRoleBindings', bindingShape)],
    [rows('roles', roleShape), rows('roleBindings', bindingShape)],
  ] as const
  for (const [roles, bindings] of pairs) {
    for (const rule of roles.flatMap((role) => items(get(role, 'rules')))) {
      checkShape(rule, 'a rule', ruleShape, report)
    }
    const known = new Set(roles.map((role) => placeOf(role, 'name')))
    for (const binding of bindings) checkBinding(binding, known, report)
  }
  return [inOrder(plain(node), fileOrder) as AccessFacts]
}

/** The keys of a mapping in their order, and the orders of those whose values are lists of mappings. */
interface KeyOrder {
  readonly keys: readonly string[]
  readonly items?: Readonly<Record<string, KeyOrder>>
}

const ruleOrder: KeyOrder = { keys: Object.keys(ruleShape) }
const roleOrder: KeyOrder = { keys: Object.keys(roleShape), items: { rules: ruleOrder } }
const bindingOrder: KeyOrder = {
  keys: Object.keys(bindingShape),
  items: { subjects: { keys: Object.keys(subjectShape) } },
}
const fileOrder: KeyOrder = {
  keys: Object.keys(fileShape),
  items: {
    clusterRoles: roleOrder,
    clusterRoleBindings: bindingOrder,
    roles: roleOrder,
    roleBindings: bindingOrder,
  },
}

/** A mapping whose keys stand as `order` says, whatever the file does; the keys of other mappings by name. */
function inOrder(value: unknown, order: KeyOrder | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, order))
  if (typeof value !== 'object' || value === null) return value
  const entries = new Map(Object.entries(value))
  const keys = order?.keys.filter((key) => entries.has(key)) ?? [...entries.keys()].sort()
  return Object.fromEntries(
    keys.map((key) => [key, inOrder(entries.get(key), order?.items?.[key])]),
  )
}

function checkBinding(binding: YamlNode, roles: ReadonlySet<string>, report: Report): void {
  if (!roles.has(placeOf(binding, 'role'))) {
    const role = get(binding, 'role')
    report((role ?? binding).at, 'unknown-role', `"${text(role) ?? ''}" is no role of this file`)
  }
  for (const subject of items(get(binding, 'subjects'))) {
    if (!checkShape(subject, 'a subject', subjectShape, report)) continue
    oneOf(get(subject, 'kind'), '"kind"', ['User', 'Group', 'ServiceAccount'], report)
  }
}

/** The namespace and name of a role. */
function placeOf(node: YamlNode, key: string): string {
  return `${text(get(node, 'namespace')) ?? ''}/${text(get(node, key)) ?? ''}`
}
