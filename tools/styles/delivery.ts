/** Definitions in the styles of monitoring, delivery and workflows. */
import {
  anything,
  conditions,
  flag,
  intOrString,
  keyed,
  list,
  map,
  object,
  oneOf,
  resources,
  rules,
  type Style,
  secretKey,
  selector,
  style,
  text,
  whole,
} from './styles.ts'

const duration = text({ format: 'duration' })

/** The definitions of this file, each with a good object and a bad one. */
export const deliveryStyles: readonly Style[] = [
  style({
    kind: 'ScrapeTarget',
    group: 'monitoring.example.org',
    spec: object(
      {
        selector,
        endpoints: list(
          object({
            port: text(),
            targetPort: intOrString,
            interval: text({
              pattern:
                '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$',
            }),
            scheme: oneOf('http', 'https'),
            params: map(list(text())),
            basicAuth: object({ username: secretKey, password: secretKey }),
            relabelings: list(
              object({
                sourceLabels: list(text({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' })),
                action: { ...oneOf('replace', 'keep', 'drop', 'labelmap'), default: 'replace' },
                modulus: whole({ format: 'int64' }),
              }),
            ),
          }),
        ),
        sampleLimit: whole({ format: 'int64' }),
      },
      { required: ['selector', 'endpoints'] },
    ),
    good: {
      selector: { matchLabels: { a: 'b' } },
      endpoints: [{ targetPort: 'web', interval: '30s', relabelings: [{ sourceLabels: ['a'] }] }],
    },
    bad: { selector: {}, endpoints: [{ interval: 'often' }] },
    refusal: 'spec.endpoints[0].interval in body should match',
  }),
  style({
    kind: 'AlertBook',
    group: 'monitoring.example.org',
    spec: object({
      groups: keyed(
        ['name'],
        object(
          {
            name: text({ minLength: 1 }),
            limit: whole(),
            rules: list(
              object(
                {
                  alert: text(),
                  record: text(),
                  expr: intOrString,
                  for: text(),
                  labels: map(text()),
                  annotations: map(text()),
                },
                { required: ['expr'] },
              ),
            ),
          },
          { required: ['name'] },
        ),
      ),
    }),
    good: {
      groups: [
        {
          name: 'a',
          rules: [
            { alert: 'Down', expr: 'up == 0', labels: { severity: 'page' } },
            { record: 'one', expr: 1 },
          ],
        },
      ],
    },
    bad: { groups: [{ name: 'a' }, { name: 'a' }] },
    refusal: 'spec.groups[1]: Duplicate value',
  }),
  style({
    kind: 'Delivery',
    group: 'delivery.example.org',
    names: { shortNames: ['dl', 'dls'], categories: ['all'] },
    spec: object(
      {
        source: object(
          {
            repository: text(),
            revision: text({ default: 'HEAD' }),
            path: text(),
            helm: object({
              values: text(),
              parameters: list(object({ name: text(), value: text(), forceString: flag() })),
              valuesObject: anything,
            }),
          },
          { required: ['repository'] },
        ),
        sources: list(anything),
        destination: object(
          { server: text(), name: text(), namespace: text() },
          rules(['!(has(self.server) && has(self.name))', 'name or server, not both']),
        ),
        sync: object({
          automated: object({ prune: flag({ default: false }), heal: flag({ default: true }) }),
          options: list(text()),
          retry: object({
            limit: whole({ format: 'int64' }),
            backoff: object({ duration: text(), factor: whole(), max: text() }),
          }),
        }),
        ignore: list(
          object({ group: text(), kind: text(), pointers: list(text()), managers: list(text()) }),
        ),
      },
      { required: ['source', 'destination'] },
    ),
    status: object({
      conditions,
      health: object({ status: text(), message: text() }),
      history: list(anything),
      summary: anything,
    }),
    version: {
      additionalPrinterColumns: [
        { name: 'Sync Status', type: 'string', jsonPath: '.status.sync.status' },
        { name: 'Health Status', type: 'string', jsonPath: '.status.health.status' },
        { name: 'Revision', type: 'string', jsonPath: '.spec.source.revision', priority: 10 },
      ],
    },
    good: {
      source: {
        repository: 'https://git.example.org/a',
        helm: { valuesObject: { any: [1, { thing: true }] } },
      },
      destination: { name: 'here' },
      sync: { automated: {} },
    },
    bad: { source: { repository: 'x' }, destination: { name: 'a', server: 'b' } },
    refusal: 'name or server, not both',
  }),
  style({
    kind: 'SourceRepository',
    group: 'delivery.example.org',
    versions: ['v1', 'v1beta2', 'v1beta1'],
    spec: object(
      {
        url: text({ pattern: '^(http|https|ssh)://.*$' }),
        interval: text({ pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$' }),
        timeout: text({ default: '60s' }),
        ref: object({ branch: text(), tag: text(), semver: text(), commit: text() }),
        verify: object({ mode: oneOf('HEAD', 'Tag'), provider: text({ default: 'gpg' }) }),
        suspend: flag(),
        access: object({ from: list(object({ labels: map(text()) })) }),
      },
      { required: ['url', 'interval'] },
    ),
    status: object({
      conditions,
      observedGeneration: whole({ format: 'int64', default: -1 }),
      artifact: object({
        url: text(),
        digest: text({ pattern: '^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$' }),
        size: whole(),
      }),
    }),
    good: { url: 'https://git.example.org/b', interval: '1m' },
    bad: { url: 'ftp://git.example.org', interval: '1m' },
    refusal: "should match '^(http|https|ssh)://.*$'",
  }),
  style({
    kind: 'StepFlow',
    group: 'flows.example.org',
    names: { shortNames: ['sf'] },
    spec: object({
      entrypoint: text(),
      arguments: object({
        parameters: keyed(
          ['name'],
          object({ name: text(), value: intOrString, enum: list(text()) }, { required: ['name'] }),
        ),
      }),
      templates: list(
        object(
          {
            name: text({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
            container: anything,
            steps: list(
              list(
                object({
                  name: text(),
                  template: text(),
                  when: text(),
                  withItems: list({ 'x-orch-preserve-unknown-fields': true }),
                }),
              ),
            ),
            dag: object({
              tasks: keyed(
                ['name'],
                object(
                  { name: text(), template: text(), dependencies: list(text()) },
                  { required: ['name'] },
                ),
              ),
            }),
            retry: object({ limit: intOrString, policy: oneOf('Always', 'OnFailure', 'OnError') }),
            timeout: text(),
          },
          { oneOf: [{ required: ['container'] }, { required: ['steps'] }, { required: ['dag'] }] },
        ),
      ),
      ttl: object({ afterSuccess: whole(), afterFailure: whole() }),
      priority: whole({ format: 'int32', nullable: true }),
    }),
    status: anything,
    good: {
      entrypoint: 'a',
      priority: null,
      templates: [
        { name: 'a', container: { image: 'x', anything: [1] } },
        { name: 'b', steps: [[{ name: 's', template: 'a', withItems: [1, 'two', { three: 3 }] }]] },
      ],
    },
    bad: { templates: [{ name: 'A', container: {} }] },
    refusal: 'spec.templates[0].name in body should match',
  }),
  style({
    kind: 'PipelineRun',
    group: 'flows.example.org',
    versions: ['v1', 'v1beta1'],
    spec: object({
      pipeline: object({
        name: text(),
        params: list(object({ name: text(), value: { 'x-orch-preserve-unknown-fields': true } })),
      }),
      tasks: list(object({ name: text(), resources })),
      timeouts: object(
        { pipeline: duration, tasks: duration },
        rules([
          '!has(self.pipeline) || !has(self.tasks) || self.tasks <= self.pipeline',
          'tasks take no longer than their pipeline',
        ]),
      ),
      workspaces: list(
        object({
          name: text(),
          claim: {
            type: 'object',
            'x-orch-embedded-resource': true,
            'x-orch-preserve-unknown-fields': true,
          },
        }),
      ),
    }),
    good: {
      timeouts: { pipeline: '1h', tasks: '30m' },
      tasks: [{ name: 'a', resources: { limits: { cpu: 2, memory: '1Gi' } } }],
      workspaces: [
        {
          name: 'w',
          claim: {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'c' },
            spec: {},
          },
        },
      ],
    },
    bad: { timeouts: { pipeline: '1h', tasks: '2h' } },
    refusal: 'tasks take no longer than their pipeline',
  }),
]
