/** Service accounts, their tokens, the root certificate of namespaces, and cluster roles that are put together. */
import { type Operation, playSome } from './steps.ts'
import type { World } from './world.ts'

const secrets = 'v1/secrets'
const accounts = 'v1/serviceaccounts'
const maps = 'v1/configmaps'
const roles = 'rbac.authorization.k8s.io/v1/clusterroles'
const accountNames = ['default', 'robot', 'other']
const account = 'kubernetes.io/service-account.name'
const accountUid = 'kubernetes.io/service-account.uid'

const anAccount: Operation = (c, random) =>
  c.create(accounts, {
    metadata: { name: random.pick(accountNames) },
    ...(random.chance(0.3) && { secrets: [{ name: `t${random.below(3)}` }] }),
  })

const noAccount: Operation = (c, random) => c.delete(accounts, random.pick(accountNames))

const aToken: Operation = (c, random) =>
  c.create(secrets, {
    metadata: {
      name: `t${random.below(3)}`,
      annotations: {
        [account]: random.pick([...accountNames, 'nobody']),
        ...(random.chance(0.2) && { [accountUid]: '00000000-0000-4000-8000-000000000000' }),
      },
      ...(random.chance(0.2) && { finalizers: ['example.com/held'] }),
    },
    type: 'kubernetes.io/service-account-token',
  })

const otherToken: Operation = (c, random) =>
  c.patch(
    secrets,
    `t${random.below(3)}`,
    random.pick<object>([
      { data: { token: null } },
      { data: { namespace: null, 'ca.crt': null } },
      { data: { namespace: 'b3RoZXI=' } },
      { metadata: { annotations: { [account]: random.pick(accountNames) } } },
      { metadata: { annotations: { [accountUid]: null } } },
      { metadata: { finalizers: null } },
    ]),
  )

const noToken: Operation = (c, random) => c.delete(secrets, `t${random.below(3)}`)

const rootMap: Operation = (c, random) =>
  random.pick<() => Promise<unknown>>([
    () => c.delete(maps, 'kube-root-ca.crt'),
    () => c.patch(maps, 'kube-root-ca.crt', { data: { 'ca.crt': 'other', more: 'x' } }),
    () => c.patch(maps, 'kube-root-ca.crt', { data: null, metadata: { labels: { a: 'b' } } }),
    () =>
      c.patch(maps, 'kube-root-ca.crt', {
        metadata: { annotations: { 'kubernetes.io/description': null } },
      }),
    () => c.patch(maps, 'kube-root-ca.crt', { immutable: true }),
  ])()

const ruleList = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list', 'get'] },
  { apiGroups: ['apps'], resources: ['*'], verbs: ['*'], resourceNames: ['x'] },
  { nonResourceURLs: ['/healthz'], verbs: ['get'] },
]

const aRole: Operation = (c, random) => {
  const into = (one: string): object => ({ matchLabels: { into: `${c.namespace}-${one}` } })
  return c.create(roles, {
    metadata: {
      name: `${c.namespace}-r${random.below(5)}`,
      labels: { into: `${c.namespace}-${random.pick(['a', 'b'])}` },
    },
    rules: ruleList.filter(() => random.chance(0.5)),
    ...(random.chance(0.5) && {
      aggregationRule: {
        clusterRoleSelectors: random.pick([
          [into('a')],
          [into('b')],
          [into('b'), into('a')],
          [
            {
              matchExpressions: [
                { key: 'into', operator: 'In', values: [`${c.namespace}-a`, `${c.namespace}-b`] },
              ],
            },
          ],
        ]),
      },
    }),
  })
}

const otherRole: Operation = (c, random) =>
  c.patch(
    roles,
    `${c.namespace}-r${random.below(5)}`,
    random.pick<object>([
      { rules: ruleList.filter(() => random.chance(0.5)) },
      { rules: null },
      { metadata: { labels: { into: `${c.namespace}-${random.pick(['a', 'b'])}` } } },
      { metadata: { labels: { into: null } } },
      { aggregationRule: null },
    ]),
  )

const noRole: Operation = (c, random) => c.delete(roles, `${c.namespace}-r${random.below(5)}`)

export const identityWorlds: readonly World[] = [
  {
    name: 'tokens',
    play: (c, random) =>
      playSome(c, random, { steps: 20 }, [
        ...[anAccount, anAccount, noAccount, aToken, aToken, aToken, otherToken, otherToken],
        ...[noToken, rootMap, rootMap],
      ]),
  },
  {
    name: 'roles',
    play: (c, random) =>
      playSome(c, random, { steps: 20 }, [aRole, aRole, aRole, otherRole, otherRole, noRole]),
  },
]
