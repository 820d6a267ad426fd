/** Manifests in the styles of real projects: what a chart, an overlay, an operator and a platform team write. None has a finding. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultKubectl } from '../../support/kubectl.ts'

const test = suite('tools/orch: good files')
const command = fileURLToPath(new URL('../../../tools/orch/main.js', import.meta.url))
/** Whole files, each in the style of one project. */
const written = fileURLToPath(new URL('../../../../test/golden/validate/good', import.meta.url))

/** The output of `helm template`: comments with sources, many labels, quoted values, blank lines that conditions leave. */
function chart(name: string, port: number): string {
  const labels = (indent: string) =>
    [
      `helm.sh/chart: ${name}-1.4.2`,
      `app.kubernetes.io/name: ${name}`,
      `app.kubernetes.io/instance: release-name`,
      'app.kubernetes.io/version: "2.11.0"',
      'app.kubernetes.io/managed-by: Helm',
    ]
      .map((line) => `${indent}${line}`)
      .join('\n')
  const selector = (indent: string) =>
    `${indent}app.kubernetes.io/name: ${name}\n${indent}app.kubernetes.io/instance: release-name`
  return `---
# Source: ${name}/templates/serviceaccount.yaml
apiVersion: v1
kind: ServiceAccount
metadata:
  name: release-name-${name}
  labels:
${labels('    ')}
automountServiceAccountToken: true
---
# Source: ${name}/templates/secret.yaml
apiVersion: v1
kind: Secret
metadata:
  name: release-name-${name}
  labels:
${labels('    ')}
type: Opaque
data:
  admin-password: "c3VwZXI="
stringData:
  admin-user: "admin"
---
# Source: ${name}/templates/configmap.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: release-name-${name}
  labels:
${labels('    ')}
data:
  ${name}.yaml: |-
    server:
      listen: 0.0.0.0:${port}
      timeouts: {read: 30s, write: 1m}
    {{ this is not a template any more }}
  empty: ""
---
# Source: ${name}/templates/service.yaml
apiVersion: v1
kind: Service
metadata:
  name: release-name-${name}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "${port}"
  labels:
${labels('    ')}
spec:
  type: ClusterIP
  ports:
    - port: 80
      targetPort: http
      protocol: TCP
      name: http
  selector:
${selector('    ')}
---
# Source: ${name}/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: release-name-${name}
  labels:
${labels('    ')}
spec:
  replicas: 2
  revisionHistoryLimit: 5
  selector:
    matchLabels:
${selector('      ')}
  template:
    metadata:
      annotations:
        checksum/config: 01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b
      labels:
${selector('        ')}
    spec:
      serviceAccountName: release-name-${name}
      securityContext:
        {}
      containers:
        - name: ${name}
          securityContext:
            {}
          image: "registry.example.org/${name}:2.11.0"
          imagePullPolicy: IfNotPresent
          env:
            - name: ADMIN_PASSWORD
              valueFrom:
                secretKeyRef:
                  name: release-name-${name}
                  key: admin-password
            - name: ADMIN_USER
              valueFrom: {secretKeyRef: {name: release-name-${name}, key: admin-user}}
            - name: EXTERNAL
              valueFrom:
                secretKeyRef: {name: created-by-another-team, key: token}
          ports:
            - name: http
              containerPort: ${port}
              protocol: TCP
          livenessProbe: &probe
            httpGet:
              path: /healthz
              port: http
          readinessProbe: *probe
          resources:
            limits: {cpu: 1, memory: 1Gi}
            requests:
              cpu: 100m
              memory: 0.5Gi
          volumeMounts:
            - name: config
              mountPath: /etc/${name}
              readOnly: true
      volumes:
        - name: config
          configMap:
            name: release-name-${name}
            items: [{key: ${name}.yaml, path: config.yaml}]
---
# Source: ${name}/templates/hpa.yaml
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: release-name-${name}
  labels:
${labels('    ')}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: release-name-${name}
  minReplicas: 2
  maxReplicas: 10
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 80
---
# Source: ${name}/templates/ingress.yaml
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: release-name-${name}
  labels:
${labels('    ')}
  annotations:
    cert-manager.io/cluster-issuer: internal
spec:
  ingressClassName: nginx
  tls:
    - hosts:
        - "${name}.example.org"
      secretName: ${name}-tls
  rules:
    - host: "${name}.example.org"
      http:
        paths:
          - path: /
            pathType: ImplementationSpecific
            backend:
              service:
                name: release-name-${name}
                port:
                  number: 80
---
# Source: ${name}/templates/tests/test-connection.yaml
apiVersion: v1
kind: Pod
metadata:
  name: "release-name-${name}-test-connection"
  annotations:
    "helm.sh/hook": test
spec:
  containers:
    - name: wget
      image: busybox
      command: ['wget']
      args: ['release-name-${name}:80']
  restartPolicy: Never
`
}

/** The output of `kustomize build`: sorted keys, hashes in names, no comments. */
function overlay(name: string, environment: string): string {
  const hash = '7f8gh9d2kt'
  return `apiVersion: v1
kind: Namespace
metadata:
  labels:
    environment: ${environment}
  name: ${name}-${environment}
---
apiVersion: v1
data:
  LOG_LEVEL: info
  settings.json: |
    {"retries": 3, "hosts": ["a", "b"]}
kind: ConfigMap
metadata:
  name: ${name}-settings-${hash}
  namespace: ${name}-${environment}
---
apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: ${name}-${environment}
spec:
  clusterIP: None
  ports:
  - name: db
    port: 5432
    targetPort: db
  selector:
    app: ${name}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: ${name}
  namespace: ${name}-${environment}
spec:
  podManagementPolicy: OrderedReady
  replicas: 3
  selector:
    matchLabels:
      app: ${name}
  serviceName: ${name}
  template:
    metadata:
      labels:
        app: ${name}
        environment: ${environment}
    spec:
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - podAffinityTerm:
              labelSelector:
                matchLabels:
                  app: ${name}
              topologyKey: kubernetes.io/hostname
            weight: 100
      containers:
      - envFrom:
        - configMapRef:
            name: ${name}-settings-${hash}
        image: registry.example.org/${name}@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
        lifecycle:
          preStop:
            exec:
              command:
              - sh
              - -c
              - sleep 5
        name: ${name}
        ports:
        - containerPort: 5432
          name: db
        volumeMounts:
        - mountPath: /var/lib/${name}
          name: data
      initContainers:
      - command:
        - chown
        - "1000"
        - /var/lib/${name}
        image: busybox
        name: owner
        volumeMounts:
        - mountPath: /var/lib/${name}
          name: data
      terminationGracePeriodSeconds: 60
      topologySpreadConstraints:
      - labelSelector:
          matchLabels:
            app: ${name}
        maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: ScheduleAnyway
  volumeClaimTemplates:
  - metadata:
      name: data
    spec:
      accessModes:
      - ReadWriteOnce
      resources:
        requests:
          storage: 10Gi
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
  namespace: ${name}-${environment}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app: ${name}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: ${name}
  namespace: ${name}-${environment}
spec:
  egress:
  - {}
  ingress:
  - from:
    - namespaceSelector: {}
      podSelector:
        matchExpressions:
        - key: client-of
          operator: In
          values:
          - ${name}
    ports:
    - port: db
  podSelector:
    matchLabels:
      app: ${name}
  policyTypes:
  - Ingress
  - Egress
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: ${name}-backup
  namespace: ${name}-${environment}
spec:
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 1
      template:
        spec:
          containers:
          - args:
            - --target=s3://backups/${name}
            image: registry.example.org/backup
            name: backup
            volumeMounts:
            - mountPath: /scratch
              name: scratch
          restartPolicy: OnFailure
          volumes:
          - emptyDir:
              sizeLimit: 2Gi
            name: scratch
  schedule: '*/30 * * * *'
  timeZone: Etc/UTC
`
}

/** What an operator is installed with: a definition with rules, rights, the operator itself, its webhook, and objects of its kind. */
function operator(name: string, group: string): string {
  const kind = `${name[0]?.toUpperCase()}${name.slice(1)}`
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.16.1
  name: ${name}s.${group}
spec:
  group: ${group}
  names:
    kind: ${kind}
    listKind: ${kind}List
    plural: ${name}s
    shortNames: [${name.slice(0, 2)}]
    singular: ${name}
  scope: Namespaced
  versions:
  - additionalPrinterColumns:
    - jsonPath: .status.conditions[?(@.type=="Ready")].status
      name: Ready
      type: string
    name: v1alpha1
    schema:
      openAPIV3Schema:
        description: ${kind} is the Schema of ${name}s.
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            required: [replicas]
            properties:
              replicas: {type: integer, format: int32, minimum: 1, default: 1}
              storage:
                anyOf: [{type: integer}, {type: string}]
                x-kubernetes-int-or-string: true
              mode: {type: string, enum: [Standalone, Cluster], default: Standalone}
              settings: {type: object, additionalProperties: {type: string}}
              template: {type: object, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations:
            - message: a standalone has one replica
              rule: self.mode != 'Standalone' || self.replicas == 1
          status:
            type: object
            properties:
              conditions:
                type: array
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: {type: string}
                    status: {type: string}
                x-kubernetes-list-map-keys: [type]
                x-kubernetes-list-type: map
    served: true
    storage: true
    subresources:
      status: {}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}-operator, namespace: ${name}-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${name}-operator}
rules:
- apiGroups: ["${group}"]
  resources: ["${name}s", "${name}s/status", "${name}s/finalizers"]
  verbs: ["*"]
- apiGroups: [""]
  resources: [pods, services, configmaps, secrets, events]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, create, update]
- nonResourceURLs: [/metrics]
  verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${name}-operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name}-operator}
subjects:
- {kind: ServiceAccount, name: ${name}-operator, namespace: ${name}-system}
- {kind: Group, apiGroup: rbac.authorization.k8s.io, name: "oidc:platform"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${name}-viewers, namespace: ${name}-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: jane@example.org}]
---
apiVersion: v1
kind: Service
metadata: {name: ${name}-webhook, namespace: ${name}-system}
spec:
  ports: [{port: 443, targetPort: 9443}]
  selector: {control-plane: ${name}-operator}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}-operator, namespace: ${name}-system}
spec:
  replicas: 1
  selector: {matchLabels: {control-plane: ${name}-operator}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {control-plane: ${name}-operator}}
    spec:
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      serviceAccountName: ${name}-operator
      containers:
      - name: manager
        args: [--leader-elect, --metrics-bind-address=:8443]
        command: [/manager]
        image: registry.example.org/${name}-operator:v0.3.0
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
        env:
        - name: POD_NAMESPACE
          valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
        - name: MEMORY
          valueFrom: {resourceFieldRef: {resource: limits.memory, containerName: manager}}
        resources: {limits: {memory: 128Mi}}
        volumeMounts: [{name: certificates, mountPath: /tmp/certificates, readOnly: true}]
      volumes:
      - name: certificates
        secret: {secretName: ${name}-webhook-certificate, defaultMode: 0o420, optional: true}
      - name: token
        projected:
          sources:
          - serviceAccountToken: {path: token, expirationSeconds: 3600}
          - downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: ${name}-operator
  annotations: {cert-manager.io/inject-ca-from: ${name}-system/${name}-webhook}
webhooks:
- name: validate.${name}s.${group}
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: ${name}-webhook, namespace: ${name}-system, path: /validate}}
  failurePolicy: Fail
  rules: [{apiGroups: ["${group}"], apiVersions: [v1alpha1], operations: [CREATE, UPDATE], resources: [${name}s]}]
  sideEffects: None
---
apiVersion: ${group}/v1alpha1
kind: ${kind}
metadata: {name: one, namespace: default}
spec: {replicas: 1, storage: 10Gi, settings: {a: "1"}, template: {anything: [goes, {here: 1}]}}
---
apiVersion: ${group}/v1alpha1
kind: ${kind}
metadata: {name: three, namespace: default}
spec: {mode: Cluster, replicas: 3, storage: 1000}
`
}

/** What a platform team keeps for each tenant, in a List as clients print it. */
function tenant(name: string): string {
  const items = [
    { kind: 'Namespace', metadata: { name, labels: { tenant: name } } },
    {
      kind: 'ResourceQuota',
      metadata: { name: 'all', namespace: name },
      spec: { hard: { 'requests.cpu': '20', 'limits.memory': '64Gi', pods: '100' } },
    },
    {
      kind: 'LimitRange',
      metadata: { name: 'all', namespace: name },
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '50m', memory: '64Mi' } }] },
    },
    {
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'shared', namespace: name },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'shared',
        resources: { requests: { storage: '1Ti' } },
      },
    },
    {
      kind: 'Secret',
      type: 'kubernetes.io/dockerconfigjson',
      metadata: { name: 'registry', namespace: name },
      data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
    },
  ].map((item) => ({ apiVersion: 'v1', ...item }))
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)
}

const names = [
  'web',
  'api',
  'search',
  'billing',
  'mail',
  'cache',
  'queue',
  'auth',
  'gateway',
  'report',
  'media',
]
const files: Readonly<Record<string, string>> = Object.fromEntries([
  ...names.map((name, index) => [`charts-${name}.yaml`, chart(name, 8080 + index)]),
  ...names.flatMap((name) =>
    ['staging', 'production'].map((one) => [`${name}-${one}.yaml`, overlay(`${name}-db`, one)]),
  ),
  ...['cluster', 'topic', 'bucket', 'database'].map((name) => [
    `operator-${name}.yaml`,
    operator(name, `${name}.example.org`),
  ]),
  ...names.map((name) => [`tenant-${name}.json`, tenant(`team-${name}`)]),
])

test('550 documents in the styles of real projects have no finding', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-good-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const args = [command, 'validate', '.', written, '-o', 'json']
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder })
    const { objects, findings } = JSON.parse(stdout.toString() || stderr.toString())
    assert.equal(findings, [])
    assert.ok(objects >= 550, `${objects} documents`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** A tree as teams keep it: a base, and an overlay with a patch, a generator, images and a prefix. */
const tree: Readonly<Record<string, string>> = {
  'base/kustomization.yaml': 'resources: [web.yaml]\n',
  'base/web.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: web
          ports: [{name: http, containerPort: 8080}]
          env: [{name: LEVEL, valueFrom: {configMapKeyRef: {name: settings, key: level}}}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
`,
  'production/kustomization.yaml': `namespace: shop
namePrefix: live-
labels: [{pairs: {environment: production}, includeSelectors: true}]
resources: [../base]
images: [{name: web, newName: registry.example.com/web, newTag: "1.4"}]
replicas: [{name: web, count: 3}]
configMapGenerator: [{name: settings, literals: [level=info]}]
patches:
  - target: {kind: Deployment}
    patch: |-
      - {op: add, path: /spec/template/spec/priorityClassName, value: high}
`,
}

test('what kustomize builds is checked from standard input, where hashed names lead to what has them', () => {
  const kubectl = defaultKubectl()
  if (kubectl === undefined) return console.log('SKIP kustomize: no kubectl on PATH')
  // Before it says which kustomize it has, it has one that does not know all of this tree.
  const version = spawnSync(kubectl, ['version', '--client']).stdout.toString()
  if (!version.includes('Kustomize Version')) return console.log('SKIP kustomize: an old kubectl')
  const folder = mkdtempSync(join(tmpdir(), 'orch-kustomize-'))
  const check = (input: string) => {
    const args = [command, 'validate', '-', '-o', 'json']
    return JSON.parse(spawnSync(process.execPath, args, { cwd: folder, input }).stdout.toString())
  }
  try {
    for (const [name, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const { stdout } = spawnSync(kubectl, ['kustomize', 'production'], { cwd: folder })
    const built = stdout.toString()
    assert.match(built, 'name: live-settings-')
    const { objects, findings } = check(built)
    assert.is(objects, 3)
    assert.equal(findings, [])
    const none = spawnSync(process.execPath, [command, 'validate', '-'], { cwd: folder, input: '' })
    assert.is(none.status, 2)
    assert.match(none.stderr.toString(), 'standard input has no document')
    const wrong = check(built.replace('key: level', 'key: levels'))
    assert.equal(
      wrong.findings.map(({ rule }: { rule: string }) => rule),
      ['reference.key'],
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.run()
