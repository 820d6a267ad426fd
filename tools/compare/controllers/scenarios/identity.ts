/** Accounts, tokens, certificates, roles and namespaces. */
import { type ControllerScenarios, deployment, deployments } from './shapes.ts'
import { complete } from './workloads.ts'

const secrets = 'v1/secrets'
const accounts = 'v1/serviceaccounts'
const roles = 'rbac.authorization.k8s.io/v1/clusterroles'

export const identity: ControllerScenarios = {
  's-account': async (c) => {
    await c.has(accounts, 'default', () => true)
    await c.has('v1/configmaps', 'kube-root-ca.crt', () => true)
    await c.delete(accounts, 'default')
    await c.patch('v1/configmaps', 'kube-root-ca.crt', { data: { 'ca.crt': 'other' } })
    await c.has(accounts, 'default', () => true)
    await c.has('v1/configmaps', 'kube-root-ca.crt', ({ data }) => data['ca.crt'] !== 'other')
  },
  's-token': async (c) => {
    await c.create(accounts, { metadata: { name: 'robot' } })
    const annotations = { 'kubernetes.io/service-account.name': 'robot' }
    await c.create(secrets, {
      metadata: { name: 'robot-token', annotations },
      type: 'kubernetes.io/service-account-token',
    })
    await c.has(secrets, 'robot-token', ({ data }) => data?.token !== undefined)
    await c.create(secrets, {
      metadata: { name: 'lost', annotations: { 'kubernetes.io/service-account.name': 'nobody' } },
      type: 'kubernetes.io/service-account-token',
    })
    await c.delete(accounts, 'robot')
    await c.gone(secrets, 'robot-token')
    await c.gone(secrets, 'lost')
  },
  's-roles': async (c) => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
    const clusterRoleSelectors = [{ matchLabels: { into: 's-roles' } }]
    await c.create(roles, {
      metadata: { name: 's-roles-all' },
      aggregationRule: { clusterRoleSelectors },
      rules: [],
    })
    await c.create(roles, { metadata: { name: 's-roles-b', labels: { into: 's-roles' } }, rules })
    await c.create(roles, {
      metadata: { name: 's-roles-a', labels: { into: 's-roles' } },
      rules: [...rules, { apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    })
    await c.has(roles, 's-roles-all', (one) => one.rules?.length === 2)
  },
  's-namespace': async (c) => {
    const other = c.in('s-namespace-gone')
    await other.create('v1/namespaces', { metadata: { name: 's-namespace-gone' } })
    await other.create(deployments, deployment('web', { replicas: 2 }))
    await complete(other, 'web', 2)
    await other.create('v1/configmaps', {
      metadata: { name: 'held', finalizers: ['example.com/held'] },
    })
    await other.delete('v1/namespaces', 's-namespace-gone')
    await other.has('v1/namespaces', 's-namespace-gone', ({ status }) =>
      status.conditions?.some(
        ({ type, status: state }: { type: string; status: string }) =>
          type === 'NamespaceFinalizersRemaining' && state === 'True',
      ),
    )
    await other.until('only what is held', async () => (await other.list('v1/pods')).length === 0)
  },
  's-quota': async (c) => {
    const quotas = 'v1/resourcequotas'
    await c.create('v1/configmaps', { metadata: { name: 'a' } })
    await c.create(quotas, {
      metadata: { name: 'all' },
      spec: {
        hard: { configmaps: '10', pods: '5', 'requests.cpu': '2', 'count/deployments.apps': '1' },
      },
    })
    await c.has(quotas, 'all', ({ status }) => status?.used?.configmaps !== undefined)
    await c.create(deployments, deployment('web', { replicas: 0 }))
    await c.delete('v1/configmaps', 'a')
    await c.has(quotas, 'all', ({ status }) => status?.used?.configmaps === '1')
    await c.patch(quotas, 'all', { spec: { hard: { pods: '1', configmaps: null } } })
    await c.has(quotas, 'all', ({ status }) => status?.hard?.pods === '1')
  },
  's-bootstrap': async (c) => {
    const system = c.in('kube-system')
    const publicOnes = c.in('kube-public')
    await publicOnes
      .create('v1/configmaps', {
        metadata: { name: 'cluster-info' },
        data: { kubeconfig: 'apiVersion: v1' },
      })
      .catch(() => {})
    const stringData = (id: string, more: object = {}) => ({
      ...{ 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true' },
      ...more,
    })
    await system.create(secrets, {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: stringData('abcdef'),
    })
    await system.create(secrets, {
      metadata: { name: 'bootstrap-token-ffffff' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: stringData('ffffff', { expiration: '2020-01-01T00:00:00Z' }),
    })
    await system.gone(secrets, 'bootstrap-token-ffffff')
    await publicOnes.has(
      'v1/configmaps',
      'cluster-info',
      ({ data }) => data['jws-kubeconfig-abcdef'] !== undefined,
    )
    const info = await publicOnes.get('v1/configmaps', 'cluster-info')
    await c.create('v1/configmaps', { metadata: { name: 'copy' }, data: info.data })
  },
  's-policy': async (c) => {
    const policies = 'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies'
    await c.create(policies, {
      metadata: { name: 's-policy' },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['apps'],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['deployments'],
            },
          ],
        },
        validations: [
          { expression: 'object.spec.replicas > "a"' },
          { expression: 'object.spec.nothing == 1' },
          { expression: 'object.spec.replicas < 5' },
        ],
      },
    })
    await c.has(policies, 's-policy', ({ status }) => status?.typeChecking !== undefined)
  },
}
