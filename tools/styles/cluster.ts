/** Definitions in the styles of autoscalers, policies, cluster makers, learning jobs and device plugins. */
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
  quantity,
  resources,
  rules,
  type Style,
  secretKey,
  selector,
  style,
  text,
  whole,
} from './styles.ts'

const name = text({ minLength: 1, maxLength: 63 })

/** The definitions of this file, each with a good object and a bad one. */
export const clusterStyles: readonly Style[] = [
  style({
    kind: 'ScaledThing',
    group: 'scaling.example.org',
    names: { shortNames: ['st'] },
    spec: object(
      {
        target: object({ apiVersion: text(), kind: text(), name }, { required: ['name'] }),
        min: whole({ format: 'int32' }),
        max: whole({ format: 'int32' }),
        triggers: list(
          object(
            { type: text(), metadata: map(text()), auth: object({ name: text() }) },
            { required: ['type', 'metadata'] },
          ),
          { maxItems: 20 },
        ),
        behavior: object({ up: anything, down: anything }),
      },
      {
        required: ['target', 'triggers'],
        ...rules([
          '!has(self.min) || !has(self.max) || self.min <= self.max',
          'min is at most max',
        ]),
      },
    ),
    good: { target: { name: 'a' }, triggers: [{ type: 'cron', metadata: { start: '1' } }] },
    bad: { target: { name: 'a' }, triggers: [], min: 2, max: 1 },
    refusal: 'min is at most max',
  }),
  style({
    kind: 'NodePool',
    group: 'scaling.example.org',
    scope: 'Cluster',
    spec: object({
      template: object({
        requirements: list(
          object(
            {
              key: text({ maxLength: 316 }),
              operator: oneOf('In', 'NotIn', 'Exists', 'Gt', 'Lt'),
              values: list(text({ maxLength: 63 }), { maxItems: 50 }),
            },
            { required: ['key', 'operator'] },
          ),
          {
            maxItems: 30,
            ...rules(
              ["self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)", 'In needs values'],
              [
                "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
                'Gt and Lt need one number',
              ],
            ),
          },
        ),
        taints: list(object({ key: text(), value: text(), effect: text() })),
      }),
      limits: map(quantity),
      disruption: object(
        {
          policy: oneOf('WhenEmpty', 'WhenUnderused'),
          after: text({ pattern: '^(([0-9]+(s|m|h))+)|(Never)$' }),
        },
        rules(["self.policy != 'WhenEmpty' || has(self.after)", 'after is said for WhenEmpty']),
      ),
    }),
    good: { template: { requirements: [{ key: 'a', operator: 'Gt', values: ['2'] }] } },
    bad: { template: { requirements: [{ key: 'a', operator: 'In', values: [] }] } },
    refusal: 'In needs values',
  }),
  style({
    kind: 'GuardRule',
    group: 'policy.example.org',
    scope: 'Cluster',
    spec: object({
      match: object(
        {
          any: list(object({ kinds: list(text()), names: list(text()), selector })),
          all: list(object({ kinds: list(text()), names: list(text()), selector })),
        },
        { not: { required: ['any', 'all'] } },
      ),
      validate: object({
        message: text(),
        pattern: anything,
        deny: anything,
        foreach: list(anything),
      }),
      mutate: object({ patch: text(), merge: anything }),
      action: { ...oneOf('Audit', 'Enforce'), default: 'Audit' },
    }),
    good: {
      match: { any: [{ kinds: ['Pod'] }] },
      validate: { pattern: { spec: { '=(x)': '*' } } },
    },
    bad: { match: { any: [], all: [] } },
    refusal: 'must not validate the schema (not)',
  }),
  style({
    kind: 'GuardTemplate',
    group: 'policy.example.org',
    scope: 'Cluster',
    spec: object({
      crd: object({
        names: object({ kind: text() }),
        validation: object({ schema: anything, legacy: flag({ default: false }) }),
      }),
      targets: list(
        object({
          target: text(),
          code: list(object({ engine: text(), source: anything })),
          libs: list(text()),
        }),
      ),
    }),
    good: { crd: { names: { kind: 'A' }, validation: { schema: { properties: { a: 1 } } } } },
    bad: { targets: [{ target: 5 }] },
    refusal: 'spec.targets[0].target in body must be of type string: "integer"',
  }),
  style({
    kind: 'MadeCluster',
    group: 'clusters.example.org',
    versions: ['v1beta1', 'v1alpha4'],
    spec: object({
      network: object({
        pods: object({ blocks: list(text({ format: 'cidr' })) }),
        services: object({ blocks: list(text({ format: 'cidr' })) }),
        port: whole({ format: 'int32' }),
      }),
      controlPlane: object(
        { apiVersion: text(), kind: text(), name: text(), uid: text({ format: 'uuid' }) },
        { 'x-orch-map-type': 'atomic' },
      ),
      paused: flag(),
      topology: object({
        class: text({ minLength: 1 }),
        variables: keyed(
          ['name'],
          object(
            { name, value: { 'x-orch-preserve-unknown-fields': true } },
            { required: ['name', 'value'] },
          ),
        ),
        workers: object({
          groups: list(object({ name, replicas: whole(), drain: text({ format: 'duration' }) })),
        }),
      }),
    }),
    status: object({ conditions, phase: text(), ready: flag() }),
    good: {
      network: { pods: { blocks: ['10.0.0.0/8'] } },
      topology: { class: 'a', variables: [{ name: 'x', value: { any: 1 } }] },
    },
    bad: { network: { pods: { blocks: ['ten'] } } },
    refusal: 'must be of type cidr: "ten"',
  }),
  style({
    kind: 'TrainingJob',
    group: 'learning.example.org',
    spec: object({
      replicas: map(
        object({
          count: whole({ minimum: 0 }),
          restart: oneOf('Always', 'OnFailure', 'Never', 'ExitCode'),
          template: {
            type: 'object',
            'x-orch-preserve-unknown-fields': true,
            properties: {
              spec: object({
                containers: list(
                  object(
                    { name, image: text(), resources },
                    { required: ['name'], 'x-orch-preserve-unknown-fields': true },
                  ),
                ),
              }),
            },
          },
        }),
        { maxProperties: 10, ...rules(["'master' in self", 'there is a master']) },
      ),
      policy: object({
        clean: oneOf('None', 'Running', 'All'),
        backoff: whole(),
        elastic: object({ min: whole(), max: whole(), metrics: list(anything) }),
      }),
    }),
    good: {
      replicas: {
        master: {
          count: 1,
          template: {
            metadata: { kept: 1 },
            spec: { containers: [{ name: 'a', more: true }] },
          },
        },
      },
    },
    bad: { replicas: { worker: { count: 1 } } },
    refusal: 'there is a master',
  }),
  style({
    kind: 'ServedModel',
    group: 'learning.example.org',
    spec: object({
      predictor: object(
        {
          framework: object({ name: text(), version: text({ nullable: true }) }),
          uri: text({ maxLength: 1024 }),
          minReplicas: whole({ default: 1 }),
          traffic: whole({ format: 'int64', minimum: 0, maximum: 100 }),
          env: keyed(
            ['name'],
            object(
              { name, value: text(), from: object({ secret: secretKey }) },
              { required: ['name'] },
            ),
            { maxItems: 100 },
          ),
        },
        rules([
          "!has(self.uri) || isURL(self.uri) && url(self.uri).getScheme() in ['s3', 'gs', 'https']",
          'the uri is one of s3, gs and https',
        ]),
      ),
    }),
    good: { predictor: { uri: 's3://a/b', framework: { name: 'x', version: null } } },
    bad: { predictor: { uri: 'file:///x' } },
    refusal: 'the uri is one of s3, gs and https',
  }),
  style({
    kind: 'FaultTest',
    group: 'faults.example.org',
    spec: object(
      {
        action: oneOf('pod-kill', 'net-delay', 'cpu'),
        mode: oneOf('one', 'all', 'fixed'),
        value: text(),
        duration: text({ maxLength: 32 }),
        selector: object({
          namespaces: list(text()),
          labels: map(text()),
          fields: map(text()),
          expressions: selector,
        }),
        delay: object({
          latency: text(),
          jitter: text({ default: '0ms' }),
          correlation: text({ pattern: '^\\d+(\\.\\d+)?$' }),
        }),
        remote: text(),
      },
      rules(
        [
          "self.mode != 'fixed' || (has(self.value) && self.value.matches('^[0-9]+$'))",
          'fixed needs a number',
        ],
        ["!has(self.duration) || duration(self.duration) > duration('1s')", 'longer than a second'],
      ),
    ),
    good: { action: 'cpu', mode: 'fixed', value: '5', duration: '1m' },
    bad: { action: 'cpu', mode: 'fixed', value: 'x', duration: '1ms' },
    refusal: 'longer than a second',
  }),
  style({
    kind: 'SecretSource',
    group: 'secrets.example.org',
    versions: ['v1beta1', 'v1alpha1'],
    spec: object({
      refresh: text({ default: '1h' }),
      store: object({ name, kind: text() }),
      target: object(
        {
          name: text(),
          creation: { ...oneOf('Owner', 'Orphan', 'Merge', 'None'), default: 'Owner' },
          template: object({
            engine: { ...oneOf('v1', 'v2'), default: 'v2' },
            data: map(text()),
            metadata: object({ annotations: map(text()), labels: map(text()) }),
          }),
        },
        { default: { creation: 'Owner' } },
      ),
      data: list(
        object(
          {
            secretKey: text(),
            remote: object(
              {
                key: text(),
                property: text(),
                decoding: { ...oneOf('Auto', 'None'), default: 'None' },
              },
              { required: ['key'] },
            ),
          },
          { required: ['remote'] },
        ),
      ),
    }),
    status: object({
      binding: object({ name: text({ default: '' }) }, { 'x-orch-map-type': 'atomic' }),
      conditions,
      refreshed: text({ format: 'date-time', nullable: true }),
    }),
    good: { store: { name: 'a' }, data: [{ secretKey: 'a', remote: { key: 'b' } }] },
    bad: { data: [{ secretKey: 'a', remote: {} }] },
    refusal: 'spec.data[0].remote.key: Required value',
  }),
  style({
    kind: 'DeviceProfile',
    group: 'devices.example.org',
    scope: 'Cluster',
    spec: object({
      devices: list(
        object({
          match: object({ vendor: text({ pattern: '^[0-9a-f]{4}$' }), count: intOrString }),
          config: map({ 'x-orch-preserve-unknown-fields': true }),
        }),
      ),
      flags: object({ a: flag({ default: true }), b: flag({ default: false }) }, { default: {} }),
      ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, multipleOf: 0.25 },
    }),
    good: {
      devices: [{ match: { vendor: '10de', count: '50%' }, config: { a: 1, b: ['c'] } }],
      ratio: 0.75,
    },
    bad: { ratio: 0.3 },
    refusal: 'spec.ratio in body should be a multiple of 0.25',
  }),
  style({
    kind: 'OperatorPlan',
    group: 'operators.example.org',
    names: { shortNames: ['plan', 'plans'], categories: ['olm'] },
    spec: object(
      {
        approval: oneOf('Automatic', 'Manual'),
        approved: flag(),
        steps: list(
          object({
            resolving: text(),
            resource: object({ group: text(), manifest: text() }),
            status: text(),
          }),
        ),
        lookups: list(object({ identifier: text(), conditions })),
      },
      {
        required: ['approval', 'approved'],
        ...rules(['!oldSelf.approved || self.approved', 'what is approved stays approved']),
      },
    ),
    good: { approval: 'Manual', approved: true },
    bad: { approval: 'Sometimes', approved: true },
    refusal: 'Unsupported value: "Sometimes": supported values: "Automatic", "Manual"',
  }),
]
