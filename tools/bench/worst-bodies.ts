/** Requests made to be expensive: each as large as the limits let it be. */
export interface Attack {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Just below the 3 MiB that a body may have. */
const size = 3 * 1024 * 1024 - 1024
const maps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const hooks = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
const json = { 'content-type': 'application/json' }
const yaml = { 'content-type': 'application/yaml' }

/** Bodies of the allowed size that are made to take long, each with the route it is sent to. */
export function attacks(): readonly Attack[] {
  const create = (name: string, body: string, path = maps): Attack => ({
    name,
    method: 'POST',
    path,
    headers: json,
    body,
  })
  const write = (name: string, body: string): Attack => ({
    name,
    method: 'POST',
    path: maps,
    headers: yaml,
    body,
  })
  const patch = (name: string, type: string, body: string): Attack => ({
    name,
    method: 'PATCH',
    path: `${maps}/victim`,
    headers: { 'content-type': type },
    body,
  })
  const get = (name: string, path: string, headers = {}): Attack => ({
    name,
    method: 'GET',
    path,
    headers,
  })
  return [
    create(
      'JSON: data of many small keys',
      map(
        'keys',
        fill((n) => `"k${n}":""`),
      ),
    ),
    create('JSON: too many small unknown fields', `{${fill((n) => `"u${n}":1`)}}`),
    create('JSON: many small unknown fields', `{${names((n) => `"u${n}":1`)}}`),
    create('JSON: one key over and over', `{${fill(() => '"a":1')}}`),
    create('JSON: spaced, so read strictly', `{ ${names((n) => `"u${n}": 1`)}}`),
    create('JSON: a long list of zeros', `{"x":[${fill(() => '0')}]}`),
    create('JSON: a long list of empty objects', pod(fill(() => '{}', ',', 49_000)), pods),
    create(
      'JSON: a long list of wrong items',
      pod(fill(() => '{"name":"A","ports":[{}]}', ',', 15_500)),
      pods,
    ),
    create('JSON: nested as deep as it goes', `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`),
    create('JSON: nested 900 deep, many times', `{"x":[${fill(() => deep(900), ',', 108)}]}`),
    create('JSON: a string of escapes', map('escapes', `"a":"${'\\u0041'.repeat(size / 6)}"`)),
    create('JSON: a number of many digits', `{"x":${'9'.repeat(size)}}`),
    create('JSON: many long integers', `{"x":[${fill(() => '12345678901234567890')}]}`),
    create(
      'JSON: a long string where a name belongs',
      `{"metadata":{"name":"${'a.'.repeat(size / 2)}"}}`,
    ),
    create(
      'JSON: many labels',
      `{"metadata":{"name":"l","labels":{${names((n) => `"l${n}":"v"`)}}}}`,
    ),
    create(
      'JSON: many annotations',
      `{"metadata":{"name":"l","annotations":{${names((n) => `"l${n}":"v"`)}}}}`,
    ),
    create(
      'JSON: many finalizers',
      `{"metadata":{"name":"f","finalizers":[${fill((n) => `"a/f${n}"`)}]}}`,
    ),
    create(
      'JSON: many owners',
      `{"metadata":{"name":"o","ownerReferences":[${fill(() => '{}', ',', 49_000)}]}}`,
    ),
    write(
      'YAML: many small keys',
      `metadata: {name: y}\ndata:\n${names((n) => `  k${n}: ""\n`, '')}`,
    ),
    write('YAML: a flow list', `x: [${fill(() => '0')}]`),
    write('YAML: a long plain text', `x: ${'word '.repeat(size / 5)}`),
    write('YAML: a folded text', `x: >\n${fill(() => '  word word\n', '')}`),
    write('YAML: nested as deep as it goes', `${'['.repeat(size)}`),
    write('YAML: aliases of aliases', bomb()),
    write(
      'YAML: many anchors',
      fill((n) => `- &a${n} x\n`, ''),
    ),
    write('YAML: many merge keys', `a: &a {x: 1}\n${names((n) => `k${n}: {<<: *a}\n`, '')}`),
    write(
      'YAML: many documents',
      fill(() => '---\na: 1\n', ''),
    ),
    write(
      'YAML: comments',
      fill(() => '# x\n', ''),
    ),
    write('YAML: an unclosed quote', `x: "${'\\n'.repeat(size / 2)}`),
    write(
      'YAML: explicit keys',
      fill(() => '? a\n', ''),
    ),
    create(
      'a quota of many unknown scopes',
      `{"metadata":{"name":"q"},"spec":{"scopes":[${many(19_000, (n) => `"s${n}"`)}]}}`,
      '/api/v1/namespaces/default/resourcequotas',
    ),
    create(
      'webhooks: all resources, and many by name',
      `{"metadata":{"name":"w"},"webhooks":[{"name":"a.b.c","clientConfig":{"url":"https://a"},"sideEffects":"None","admissionReviewVersions":["v1"],"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*",${many(19_000, (n) => `"a${n}"`)}]}]}]}`,
      hooks,
    ),
    patch(
      'JSON patch: many operations',
      'application/json-patch+json',
      `[${fill((n) => `{"op":"add","path":"/data/k${n}","value":""}`, ',', 9_000)}]`,
    ),
    patch(
      'JSON patch: 10,000 operations',
      'application/json-patch+json',
      `[${many(10_000, (n) => `{"op":"add","path":"/metadata/finalizers/-","value":"a/${n}"}`)}]`,
    ),
    patch(
      'JSON patch: copies of copies',
      'application/json-patch+json',
      `[${['{"op":"add","path":"/x","value":[1,1,1,1]}', ...Array.from({ length: 60 }, (_, n) => `{"op":"copy","from":"/x","path":"/x/${n % 4}"}`)].join()}]`,
    ),
    patch(
      'JSON patch: a long path',
      'application/json-patch+json',
      `[{"op":"add","path":"${'/a'.repeat(size / 2)}","value":1}]`,
    ),
    patch(
      'merge patch: many keys',
      'application/merge-patch+json',
      `{"data":{${names((n) => `"k${n}":""`)}}}`,
    ),
    get('a selector of many terms', `${maps}?labelSelector=${many(4500, () => 'a=b')}`),
    get(
      'a selector of a large set',
      `${maps}?labelSelector=a+in+(${many(10_000, (n) => String(n % 90))})`,
    ),
    get(
      'a field selector of many terms',
      `${maps}?fieldSelector=${many(1500, () => 'metadata.name=x')}`,
    ),
    get('a query of many parameters', `${maps}?${many(15_000, () => 'a', '&')}`),
    get('an Accept of many types', maps, { accept: many(7_500, () => 'a/b') }),
    get('an Accept of many parameters', maps, {
      accept: `application/json${many(15_000, () => ';a', '')}`,
    }),
    get('an Accept-Encoding of many words', maps, {
      'accept-encoding': many(12_000, () => ' ', ','),
    }),
    get('a long path', `${maps}/${'a'.repeat(30_000)}`),
    get('a path of many segments', `/${many(15_000, () => 'a', '/')}`),
    get('a continue token of nonsense', `${maps}?limit=1&continue=${'A'.repeat(30_000)}`),
  ]
}

/** Makes the place what it was before any attack: there is the object that patches aim at, and nothing else. */
export const beginnings: readonly Attack[] = [
  { name: 'everything goes', method: 'DELETE', path: maps },
  { name: 'the victim', method: 'POST', path: maps, headers: json, body: map('victim', '"a":"b"') },
]

/** A ConfigMap around some data, as text: what is sent need not be an object that JSON can hold. */
function map(name: string, data: string): string {
  return `{"metadata":{"name":"${name}"},"data":{${data}}}`
}

/** A Pod around some containers. */
function pod(containers: string): string {
  return `{"metadata":{"name":"p"},"spec":{"containers":[${containers}]}}`
}

/** Lists in lists. */
function deep(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`
}

/** As many pieces as fit into a body, or as the limit on values lets through. */
function fill(piece: (n: number) => string, between = ',', most = 99_000): string {
  const pieces: string[] = []
  let length = 200
  for (let n = 0; n < most; n++) {
    const next = piece(n)
    length += next.length + between.length
    if (length > size) break
    pieces.push(next)
  }
  return pieces.join(between)
}

/** As many different names as the limit on them lets through. */
function names(piece: (n: number) => string, between = ','): string {
  return fill(piece, between, 9_800)
}

/** So many pieces, whatever they weigh. */
function many(count: number, piece: (n: number) => string, between = ','): string {
  return Array.from({ length: count }, (_, n) => piece(n)).join(between)
}

/** Each anchor ten times the one before. */
function bomb(): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
  for (let n = 1; n < 12; n++) {
    lines.push(`a${n}: &a${n} [${Array.from({ length: 10 }, () => `*a${n - 1}`).join()}]`)
  }
  return lines.join('\n')
}
