/** The operator itself: its namespace, its Deployment, the service of its webhook. */
import { type Manifest, metadataOf, type PackageSettings, webhookService } from './settings.ts'

/** Namespaces that are there without an operator. */
const given = ['default', 'kube-system', 'kube-public']

/** The operator's namespace, in which pods have no rights on their node. */
export function namespaceManifests({ namespace, name }: PackageSettings): readonly Manifest[] {
  if (given.includes(namespace)) return []
  const labels = {
    'app.kubernetes.io/name': name,
    'pod-security.kubernetes.io/enforce': 'restricted',
  }
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }]
}

/** The service by which servers reach the operator's webhooks. */
export function webhookManifests(settings: PackageSettings): readonly Manifest[] {
  const { name } = settings
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(settings, webhookService(settings)),
      spec: {
        selector: { 'app.kubernetes.io/name': name },
        ports: [{ name: 'webhook', port: 443, targetPort: 'webhook' }],
      },
    },
  ]
}

/** The Deployment of the operator. One that holds no lease must not run twice, not even during an update. */
export function deploymentManifest(settings: PackageSettings, webhook: boolean): Manifest {
  const { name, replicas, leaderElection, sharding } = settings
  const labels = { 'app.kubernetes.io/name': name }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(settings),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      ...(!leaderElection && !sharding && { strategy: { type: 'Recreate' } }),
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: 30,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [containerOf(settings, webhook)],
        },
      },
    },
  }
}

function containerOf(
  { image, args, healthPort, webhookPort }: PackageSettings,
  webhook: boolean,
): Manifest {
  return {
    name: 'operator',
    image,
    ...(args.length > 0 && { args }),
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'HEALTH_PORT', value: String(healthPort) },
      ...(webhook ? [{ name: 'WEBHOOK_PORT', value: String(webhookPort) }] : []),
    ],
    ports: [
      { name: 'health', containerPort: healthPort },
      ...(webhook ? [{ name: 'webhook', containerPort: webhookPort }] : []),
    ],
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
    resources: { requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '384Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
  }
}
