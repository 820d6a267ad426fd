/** Manifests of mixed kinds, a file each, as a repository of a platform team has them. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes `count` valid files, in one folder for each application. */
export async function writeManifests(folder: string, count: number): Promise<void> {
  const makers = Object.entries(kinds)
  for (let at = 0; at < count; at++) {
    const app = `app-${Math.floor(at / makers.length)}`
    const [kind, make] = makers[at % makers.length] as (typeof makers)[number]
    await mkdir(join(folder, app), { recursive: true })
    await writeFile(join(folder, app, `${kind}.yaml`), make(app))
  }
}

function labels(app: string, indent: string): string {
  const rows = [`name: ${app}`, 'part-of: shop', 'managed-by: orch', 'version: "1.4.2"']
  return rows.map((row) => `${indent}app.kubernetes.io/${row}`).join('\n')
}

function head(apiVersion: string, kind: string, app: string): string {
  return `# ${kind} of ${app}, which the team of the shop looks after
apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${app}
  namespace: shop
  labels:
${labels(app, '    ')}
`
}

function pods(app: string, restart = ''): string {
  return `metadata:
  labels:
${labels(app, '    ')}
spec:
  serviceAccountName: ${app}
${restart}  securityContext:
    runAsNonRoot: true
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: ${app}
      image: "registry.example.com/shop/${app}:1.4.2"
      args: ["--listen", ":8080", "--log-level=info"]
      ports:
        - name: http
          containerPort: 8080
          protocol: TCP
      env:
        - name: LEVEL
          valueFrom: { configMapKeyRef: { name: ${app}, key: level } }
        - name: PASSWORD
          valueFrom: { secretKeyRef: { name: ${app}, key: password } }
      resources:
        requests: { cpu: 100m, memory: 128Mi }
        limits: { memory: 256Mi }
      readinessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 5
      volumeMounts:
        - { name: settings, mountPath: /etc/${app} }
  volumes:
    - name: settings
      configMap: { name: ${app} }
`
}

function indented(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(by))
}

const selector = (app: string) => `  selector:\n    matchLabels:\n${labels(app, '      ')}\n`

/** A manifest of each kind. */
const kinds: Readonly<Record<string, (app: string) => string>> = {
  deployment: (app) =>
    `${head('apps/v1', 'Deployment', app)}spec:\n  replicas: 3\n${selector(app)}  template:\n${indented(pods(app), 4)}`,
  service: (app) =>
    `${head('v1', 'Service', app)}spec:\n  selector:\n${labels(app, '    ')}\n  ports:\n    - { name: http, port: 80, targetPort: http }\n`,
  config: (app) =>
    `${head('v1', 'ConfigMap', app)}data:\n  level: info\n  settings.yaml: |\n    listen: 0.0.0.0\n    # as it was measured\n    timeout: 30s\n`,
  secret: (app) =>
    `${head('v1', 'Secret', app)}type: Opaque\nstringData:\n  password: "${app}-secret"\n`,
  account: (app) => head('v1', 'ServiceAccount', app),
  role: (app) =>
    `${head('rbac.authorization.k8s.io/v1', 'Role', app)}rules:\n  - apiGroups: [""]\n    resources: [configmaps]\n    verbs: [get, list, watch]\n`,
  binding: (app) =>
    `${head('rbac.authorization.k8s.io/v1', 'RoleBinding', app)}roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: ${app}\nsubjects:\n  - kind: ServiceAccount\n    name: ${app}\n    namespace: shop\n`,
  ingress: (app) =>
    `${head('networking.k8s.io/v1', 'Ingress', app)}spec:\n  rules:\n    - host: ${app}.example.com\n      http:\n        paths:\n          - path: /\n            pathType: Prefix\n            backend: { service: { name: ${app}, port: { name: http } } }\n`,
  policy: (app) =>
    `${head('networking.k8s.io/v1', 'NetworkPolicy', app)}spec:\n  podSelector:\n    matchLabels:\n${labels(app, '      ')}\n  policyTypes: [Ingress]\n  ingress:\n    - ports:\n        - { protocol: TCP, port: 8080 }\n`,
  budget: (app) =>
    `${head('policy/v1', 'PodDisruptionBudget', app)}spec:\n  minAvailable: 1\n${selector(app)}`,
  autoscaler: (app) =>
    `${head('autoscaling/v2', 'HorizontalPodAutoscaler', app)}spec:\n  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${app} }\n  minReplicas: 2\n  maxReplicas: 10\n  metrics:\n    - type: Resource\n      resource: { name: cpu, target: { type: Utilization, averageUtilization: 70 } }\n`,
  set: (app) =>
    `${head('apps/v1', 'StatefulSet', app)}spec:\n  serviceName: ${app}\n  replicas: 2\n${selector(app)}  template:\n${indented(pods(app), 4)}  volumeClaimTemplates:\n    - metadata: { name: data }\n      spec:\n        accessModes: [ReadWriteOnce]\n        resources: { requests: { storage: 10Gi } }\n`,
  agents: (app) =>
    `${head('apps/v1', 'DaemonSet', app)}spec:\n${selector(app)}  template:\n${indented(pods(app), 4)}`,
  job: (app) =>
    `${head('batch/v1', 'Job', app)}spec:\n  backoffLimit: 3\n  template:\n${indented(pods(app, '  restartPolicy: Never\n'), 4)}`,
  schedule: (app) =>
    `${head('batch/v1', 'CronJob', app)}spec:\n  schedule: "*/15 * * * *"\n  concurrencyPolicy: Forbid\n  jobTemplate:\n    spec:\n      template:\n${indented(pods(app, '  restartPolicy: OnFailure\n'), 8)}`,
  claim: (app) =>
    `${head('v1', 'PersistentVolumeClaim', app)}spec:\n  accessModes: [ReadWriteOnce]\n  resources: { requests: { storage: 10Gi } }\n`,
}
