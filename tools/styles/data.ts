/** Definitions in the styles of database operators, backups, queues, caches and storage. */
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

const volume = object(
  { size: quantity, className: text({ nullable: true }), modes: list(text()) },
  { required: ['size'] },
)

/** The definitions of this file, each with a good object and a bad one. */
export const dataStyles: readonly Style[] = [
  style({
    kind: 'RowStore',
    group: 'data.example.org',
    names: { shortNames: ['rs', 'rows'], categories: ['databases'] },
    spec: object(
      {
        instances: whole({ minimum: 1, maximum: 50, default: 1 }),
        image: text({ maxLength: 256 }),
        volume,
        parameters: map(text(), { maxProperties: 500 }),
        bootstrap: object({
          init: object({ database: text({ default: 'app' }), owner: text({ default: 'app' }) }),
          recovery: object({ from: text(), target: text({ format: 'date-time' }) }),
        }),
        replicas: object({ min: whole({ default: 0 }), max: whole({ default: 0 }) }),
        resources,
      },
      {
        required: ['volume'],
        ...rules(
          ['self.replicas.min <= self.replicas.max', 'min is at most max'],
          ['self.replicas.max < self.instances', 'there are fewer replicas than instances'],
        ),
      },
    ),
    status: object({ conditions, phase: text(), instances: whole(), selector: text() }),
    version: {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.instances',
          statusReplicasPath: '.status.instances',
          labelSelectorPath: '.status.selector',
        },
      },
    },
    good: { instances: 3, volume: { size: '1Gi', className: null }, replicas: { max: 1 } },
    bad: { instances: 3, volume: { size: '1Gi' }, replicas: { max: 3 } },
    refusal: 'there are fewer replicas than instances',
  }),
  style({
    kind: 'DocumentStore',
    group: 'data.example.org',
    spec: object(
      {
        members: whole({ default: 3 }),
        version: text({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
        shards: keyed(['id'], object({ id: whole(), weight: whole() }, { required: ['id'] }), {
          maxItems: 64,
        }),
        users: keyed(
          ['db', 'name'],
          object(
            {
              db: text({ default: 'admin' }),
              name: text({ maxLength: 128 }),
              password: secretKey,
              roles: list(object({ db: text(), name: text() })),
            },
            { required: ['name'] },
          ),
          { maxItems: 100 },
        ),
      },
      {
        required: ['version'],
        ...rules(
          ['self.members % 2 == 1', 'an odd number of members'],
          [
            "oldSelf.version <= self.version || oldSelf.version.startsWith('0')",
            'never an older version',
          ],
        ),
      },
    ),
    good: { version: '1.2.3', users: [{ name: 'a' }, { name: 'a', db: 'b' }] },
    bad: { version: '1.2.3', members: 4 },
    refusal: 'an odd number of members',
  }),
  style({
    kind: 'EventLog',
    group: 'queues.example.org',
    versions: ['v1beta2', 'v1beta1', 'v1alpha1'],
    spec: object({
      partitions: whole({ minimum: 1 }),
      replicas: whole({ minimum: 1, maximum: 32767 }),
      config: anything,
      topicName: text(),
    }),
    status: object({ conditions, topicId: text() }),
    good: { partitions: 3, replicas: 2, config: { 'retention.ms': 1000, deep: { er: [1.5] } } },
    bad: { partitions: 0 },
    refusal: 'spec.partitions in body should be greater than or equal to 1',
  }),
  style({
    kind: 'BrokerCluster',
    group: 'queues.example.org',
    spec: object({
      listeners: list(
        object({
          name: text({ pattern: '^[a-z0-9]{1,11}$' }),
          port: whole({ minimum: 9092 }),
          type: oneOf('internal', 'route', 'loadbalancer', 'nodeport'),
          tls: flag(),
          authentication: object({ type: oneOf('tls', 'scram'), more: map(text()) }),
        }),
        { minItems: 1 },
      ),
      storage: object(
        { type: oneOf('ephemeral', 'claim', 'several'), size: text(), volumes: list(anything) },
        rules(["self.type != 'claim' || has(self.size)", 'a claim has a size']),
      ),
      rack: object({ topologyKey: text() }),
    }),
    good: { listeners: [{ name: 'plain', port: 9092 }], storage: { type: 'claim', size: '1Gi' } },
    bad: { storage: { type: 'claim' } },
    refusal: 'a claim has a size',
  }),
  style({
    kind: 'NightlyCopy',
    group: 'backup.example.org',
    spec: object(
      {
        schedule: text({ minLength: 9, maxLength: 100 }),
        include: list(text({ maxLength: 253 }), { nullable: true, maxItems: 100 }),
        exclude: list(text({ maxLength: 253 }), { nullable: true, maxItems: 100 }),
        selector: { ...selector, nullable: true },
        orSelectors: list(selector, { nullable: true }),
        keep: text({ default: '720h' }),
        hooks: object({
          resources: list(
            object({
              name: text(),
              pre: list(object({ exec: object({ command: list(text(), { minItems: 1 }) }) })),
            }),
            { nullable: true },
          ),
        }),
        metadata: object({ labels: map(text()) }),
      },
      {
        required: ['schedule'],
        ...rules([
          '!has(self.include) || !has(self.exclude) || self.include.all(i, !(i in self.exclude))',
          'nothing is both included and excluded',
        ]),
      },
    ),
    good: { schedule: '0 1 * * *' },
    bad: { schedule: 'never' },
    refusal: 'spec.schedule in body should be at least 9 chars long',
  }),
  style({
    kind: 'CopyLocation',
    group: 'backup.example.org',
    names: { shortNames: ['cl'] },
    spec: object(
      {
        provider: text(),
        bucket: object({ name: text({ minLength: 3, maxLength: 63 }), prefix: text() }),
        config: map(text()),
        credential: secretKey,
        mode: { ...oneOf('ReadOnly', 'ReadWrite'), default: 'ReadWrite' },
        caCert: text({ format: 'byte' }),
      },
      { required: ['provider'] },
    ),
    status: object({
      phase: oneOf('Available', 'Unavailable'),
      lastSync: text({ format: 'date-time', nullable: true }),
    }),
    version: {
      additionalPrinterColumns: [
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'Last Sync', type: 'date', jsonPath: '.status.lastSync' },
        { name: 'Default', type: 'boolean', jsonPath: '.spec.default' },
      ],
    },
    good: { provider: 'any', caCert: 'AAAA', bucket: { name: 'abc' } },
    bad: { provider: 'any', caCert: '***' },
    refusal: 'spec.caCert in body must be of type byte',
  }),
  style({
    kind: 'BlockPool',
    group: 'storage.example.org',
    spec: object(
      {
        failureDomain: text(),
        replicated: object({ size: whole({ minimum: 0, maximum: 9 }), safe: flag() }),
        erasure: object({ data: whole({ minimum: 0 }), coding: whole({ minimum: 0 }) }),
        quotas: object({ maxBytes: whole({ format: 'int64' }), maxSize: quantity }),
      },
      rules(
        ['has(self.replicated) != has(self.erasure)', 'replicated or erasure coded'],
        [
          "!has(self.quotas) || !has(self.quotas.maxSize) || quantity(string(self.quotas.maxSize)).isGreaterThan(quantity('1Mi'))",
          'a quota is above 1Mi',
        ],
      ),
    ),
    good: { replicated: { size: 3 } },
    bad: { replicated: { size: 3 }, erasure: { data: 2, coding: 1 } },
    refusal: 'replicated or erasure coded',
  }),
  style({
    kind: 'KeyCache',
    group: 'caches.example.org',
    spec: object({
      replicas: whole({ minimum: 1, maximum: 2147483647 }),
      exporter: object({ enabled: flag({ default: true }), port: intOrString }),
      tuning: list(text({ pattern: '^[a-z-]+ .+$' }), { 'x-orch-list-type': 'set' }),
      acl: map(object({ commands: list(text()), keys: list(text()) }), {
        'x-orch-map-type': 'granular',
      }),
    }),
    good: { replicas: 1, tuning: ['maxmemory 1gb'], acl: { a: { keys: ['*'] } } },
    bad: { tuning: ['a b', 'a b'] },
    refusal: 'spec.tuning[1]: Duplicate value: "a b"',
  }),
]
