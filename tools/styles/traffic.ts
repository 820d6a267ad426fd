/** Definitions in the styles of certificate issuers, gateways and meshes. */
import {
  anything,
  conditions,
  keyed,
  list,
  map,
  object,
  oneOf,
  rules,
  type Style,
  secretKey,
  style,
  text,
  whole,
} from './styles.ts'

const duration = text({ format: 'duration' })
const hostname = text({
  minLength: 1,
  maxLength: 253,
  pattern: '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
})
const port = whole({ format: 'int32', minimum: 1, maximum: 65535 })
const reference = object(
  {
    group: text({ default: 'example.org' }),
    kind: text({ default: 'Service' }),
    name: text(),
    port,
  },
  {
    required: ['name'],
    ...rules([
      "size(self.group) == 0 && self.kind == 'Service' ? has(self.port) : true",
      'a Service is referred to with its port',
    ]),
  },
)

/** The definitions of this file, each with a good object and a bad one. */
export const trafficStyles: readonly Style[] = [
  style({
    kind: 'SignedPair',
    group: 'certificates.example.org',
    names: { shortNames: ['pair'], categories: ['security'] },
    spec: object(
      {
        commonName: text({ maxLength: 64 }),
        hosts: list(hostname, { maxItems: 100, 'x-orch-list-type': 'set' }),
        lifetime: { ...duration, default: '2160h' },
        privateKey: object({
          algorithm: { ...oneOf('RSA', 'ECDSA', 'Ed25519'), default: 'ECDSA' },
          bits: whole({ minimum: 256, maximum: 8192 }),
        }),
        issuer: object(
          { name: text({ minLength: 1 }), kind: text({ default: 'Issuer' }) },
          { required: ['name'] },
        ),
        target: object({ name: text(), labels: map(text()), annotations: map(text()) }),
        usages: list(oneOf('signing', 'server auth', 'client auth')),
      },
      {
        required: ['issuer', 'hosts'],
        ...rules(
          ['self.hosts.size() > 0', 'at least one host'],
          [
            "self.privateKey.algorithm != 'RSA' || self.privateKey.bits >= 2048",
            'RSA keys have 2048 bits or more',
          ],
        ),
      },
    ),
    status: object({ conditions, notAfter: text({ format: 'date-time' }), revision: whole() }),
    version: {
      additionalPrinterColumns: [
        {
          name: 'Ready',
          type: 'string',
          jsonPath: ".status.conditions[?(@.type=='Ready')].status",
        },
        { name: 'Issuer', type: 'string', jsonPath: '.spec.issuer.name', priority: 1 },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
    good: { hosts: ['a.example.org'], issuer: { name: 'main' }, privateKey: {} },
    bad: { hosts: [], issuer: { name: 'main' }, privateKey: {} },
    refusal: 'at least one host',
  }),
  style({
    kind: 'IssuerOfPairs',
    group: 'certificates.example.org',
    scope: 'Cluster',
    spec: object(
      {
        acme: object(
          {
            server: text({ format: 'uri', maxLength: 512 }),
            email: text({ format: 'email' }),
            solvers: list(
              object({
                selector: object({ zones: list(text()) }),
                http: object({ className: text(), template: anything }),
                dns: object({ provider: text(), token: secretKey }),
              }),
            ),
          },
          { required: ['server'] },
        ),
        selfSigned: object({ lists: list(text()) }),
        vault: object({ path: text(), server: text(), token: secretKey }),
      },
      { oneOf: [{ required: ['acme'] }, { required: ['selfSigned'] }, { required: ['vault'] }] },
    ),
    good: { selfSigned: {} },
    bad: { selfSigned: {}, vault: { path: 'x' } },
    refusal: 'must validate one and only one schema (oneOf)',
  }),
  style({
    kind: 'EntryPoint',
    group: 'traffic.example.org',
    spec: object(
      {
        className: text({ minLength: 1 }),
        listeners: keyed(
          ['name'],
          object(
            {
              name: text({ maxLength: 63 }),
              port,
              protocol: oneOf('HTTP', 'HTTPS', 'TCP'),
              hostname,
              tls: object({
                mode: { ...oneOf('Terminate', 'Passthrough'), default: 'Terminate' },
                pairs: list(reference, { maxItems: 8 }),
              }),
            },
            { required: ['name', 'port', 'protocol'] },
          ),
          {
            minItems: 1,
            maxItems: 32,
            ...rules(
              ["self.all(l, l.protocol == 'HTTPS' ? has(l.tls) : true)", 'HTTPS needs tls'],
              [
                'self.all(a, self.exists_one(b, a.port == b.port))',
                'each port is listened on once',
              ],
            ),
          },
        ),
      },
      { required: ['className', 'listeners'] },
    ),
    status: object({ conditions, addresses: list(object({ type: text(), value: text() })) }),
    good: { className: 'c', listeners: [{ name: 'a', port: 80, protocol: 'HTTP' }] },
    bad: { className: 'c', listeners: [{ name: 'a', port: 443, protocol: 'HTTPS' }] },
    refusal: 'HTTPS needs tls',
  }),
  style({
    kind: 'PathRoute',
    group: 'traffic.example.org',
    versions: ['v1', 'v1beta1', 'v1alpha2'],
    spec: object({
      parents: list(reference, { maxItems: 32 }),
      hosts: list(hostname, { maxItems: 16, 'x-orch-list-type': 'set' }),
      rules: list(
        object({
          matches: list(
            object({
              path: object(
                {
                  type: { ...oneOf('Exact', 'Prefix', 'Pattern'), default: 'Prefix' },
                  value: text({ default: '/', maxLength: 1024 }),
                },
                rules([
                  "self.type == 'Pattern' || self.value.startsWith('/')",
                  'a path begins with /',
                ]),
              ),
              headers: keyed(
                ['name'],
                object(
                  { name: text({ maxLength: 256 }), value: text({ maxLength: 4096 }) },
                  { required: ['name'] },
                ),
                { maxItems: 16 },
              ),
            }),
            { maxItems: 8, default: [{ path: { type: 'Prefix', value: '/' } }] },
          ),
          backends: list(
            object({ ref: reference, weight: whole({ minimum: 0, maximum: 1000000, default: 1 }) }),
            { maxItems: 16 },
          ),
          timeouts: object({ request: text({ pattern: '^([0-9]{1,5}(h|m|s|ms)){1,4}$' }) }),
        }),
        { maxItems: 16 },
      ),
    }),
    good: { rules: [{ backends: [{ ref: { name: 'a', port: 80 } }] }] },
    bad: { rules: [{ matches: [{ path: { value: 'x' } }] }] },
    refusal: 'a path begins with /',
  }),
  style({
    kind: 'MeshTraffic',
    group: 'mesh.example.org',
    versions: ['v1', 'v1alpha3', 'v1beta1'],
    names: { shortNames: ['mt'], categories: ['mesh-all'] },
    spec: object(
      {
        hosts: list(text()),
        http: list(
          object({
            match: list(
              map(
                object(
                  { exact: text(), prefix: text(), regex: text() },
                  {
                    oneOf: [
                      {
                        not: {
                          anyOf: [
                            { required: ['exact'] },
                            { required: ['prefix'] },
                            { required: ['regex'] },
                          ],
                        },
                      },
                      { required: ['exact'] },
                      { required: ['prefix'] },
                      { required: ['regex'] },
                    ],
                  },
                ),
              ),
            ),
            route: list(
              object({
                destination: object({
                  host: text(),
                  subset: text(),
                  port: object({ number: whole() }),
                }),
                weight: whole({ format: 'int32' }),
              }),
            ),
            fault: object({
              delay: object({ fixed: text(), percent: { type: 'number', format: 'double' } }),
            }),
            retries: object({ attempts: whole(), perTry: text() }),
          }),
        ),
      },
      { 'x-orch-preserve-unknown-fields': true },
    ),
    status: anything,
    good: { hosts: ['a'], http: [{ match: [{ uri: { exact: '/' } }] }], extra: { kept: true } },
    bad: { http: [{ match: [{ uri: { exact: '/', prefix: '/' } }] }] },
    refusal: 'must validate one and only one schema (oneOf). Found 2 valid alternatives',
  }),
]
