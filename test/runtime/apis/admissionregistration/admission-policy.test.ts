/** What is wrong with policies, bindings and match conditions when they are written (supplement Q-11, Y-06). A2.43 A2.49 */
import { kindAt } from '../../../support/registry.ts'
import type { Given } from '../outcome.ts'
import { refusals, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: admission policies')
const group = 'apis/admissionregistration.orch.io'
const policies = kindAt(`${group}/v1beta1/validatingadmissionpolicies`)
const alphaPolicies = kindAt(`${group}/v1alpha1/validatingadmissionpolicies`)
const bindings = kindAt(`${group}/v1beta1/validatingadmissionpolicybindings`)
const hooks = kindAt(`${group}/v1/validatingwebhookconfigurations`)

const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }
const matchConstraints = { resourceRules: [rule] }
const policy = (spec: object): Given => ({
  spec: { matchConstraints, validations: [{ expression: 'true' }], ...spec },
})
const validation = (given: object) => policy({ validations: [given] })
const constraints = (given: object) => policy({ matchConstraints: given })
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index}`, expression: 'true' }))

const caret = (place: string, source: string, text: string) => {
  const [line = '', column = ''] = place.split(':')
  return `compilation failed: ERROR: <input>:${line}:${column}: ${text}\n | ${source}\n | ${'.'.repeat(Number(column) - 1)}^`
}

refusals(test, policies, [
  ['a policy that says something of something', policy({}), []],
  [
    'nothing at all',
    { spec: {} },
    [
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  [
    'notes alone are enough',
    policy({ validations: [], auditAnnotations: [{ key: 'k', valueExpression: "'v'" }] }),
    [],
  ],
  [
    'a policy that matches nothing',
    constraints({}),
    ['spec.matchConstraints.resourceRules: Required value'],
  ],
  [
    'rules that contradict themselves, names and labels that none can have',
    constraints({
      resourceRules: [
        {
          ...rule,
          apiGroups: ['*', 'apps'],
          resources: ['pods/*', 'pods/log'],
          resourceNames: ['a/b', 'c', 'c'],
        },
      ],
      excludeResourceRules: [{ ...rule, operations: [] }],
      objectSelector: { matchLabels: { a: '-' } },
      namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
    }),
    [
      "spec.matchConstraints.namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.matchConstraints.objectSelector.matchLabels: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: "a/b": may not contain \'/\'',
      'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "c"',
      'spec.matchConstraints.resourceRules[0].apiGroups: Invalid value: []string{"*", "apps"}: if \'*\' is present, must not specify other API groups',
      'spec.matchConstraints.resourceRules[0].resources[1]: Invalid value: "pods/log": if \'pods/*\' is present, must not specify pods/log',
      'spec.matchConstraints.excludeResourceRules[0].operations: Required value',
    ],
  ],
  [
    'parameters without a kind',
    policy({ paramKind: {} }),
    ['spec.paramKind.apiVersion: Required value', 'spec.paramKind.kind: Required value'],
  ],
  [
    'parameters of a kind that cannot be',
    policy({ paramKind: { apiVersion: 'a/b/c', kind: 'Config-Map-' } }),
    [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.paramKind.kind: Invalid value: \"Config-Map-\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    'an expression that is no expression',
    validation({ expression: 'object.spec ==' }),
    [
      "spec.validations[0].expression: Invalid value: \"object.spec ==\": compilation failed: ERROR: <input>:1:15: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | object.spec ==\n | ..............^",
    ],
  ],
  [
    'names that nothing has',
    validation({ expression: 'objekt.spec == 1 && request.nme == "x"' }),
    [
      `spec.validations[0].expression: Invalid value: "objekt.spec == 1 && request.nme == \\"x\\"": ${caret('1:1', 'objekt.spec == 1 && request.nme == "x"', "undeclared reference to 'objekt' (in container '')")}\n${caret('1:28', 'objekt.spec == 1 && request.nme == "x"', "undefined field 'nme'").slice('compilation failed: '.length)}`,
    ],
  ],
  [
    'types that do not fit',
    validation({ expression: 'request.operation + 1 == 2' }),
    [
      `spec.validations[0].expression: Invalid value: "request.operation + 1 == 2": ${caret('1:19', 'request.operation + 1 == 2', "found no matching overload for '_+_' applied to '(string, int)'")}`,
    ],
  ],
  [
    'an expression that gives something else, or what is only known later',
    policy({ validations: [{ expression: '1' }, { expression: 'object.spec.paused' }] }),
    [
      'spec.validations[0].expression: Invalid value: "1": must evaluate to bool',
      'spec.validations[1].expression: Invalid value: "object.spec.paused": must evaluate to bool',
    ],
  ],
  [
    'parameters where there are none',
    validation({ expression: 'params == null' }),
    [
      `spec.validations[0].expression: Invalid value: "params == null": ${caret('1:1', 'params == null', "undeclared reference to 'params' (in container '')")}`,
    ],
  ],
  [
    'parameters where there are some, in conditions, too',
    policy({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'some', expression: 'params != null' }],
      validations: [{ expression: 'params == null' }],
    }),
    [],
  ],
  [
    'messages that cannot be shown, and reasons that are none',
    validation({
      expression: 'true\n&& true',
      message: 'two\nlines',
      messageExpression: '1',
      reason: 'Because',
    }),
    [
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string',
      'spec.validations[0].message: Invalid value: "two\\nlines": message must not contain line breaks',
      'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    'blank texts, and an expression of several lines without a message',
    policy({
      validations: [
        { expression: ' ' },
        { expression: 'true', message: ' ', messageExpression: ' ' },
        { expression: 'true &&\ntrue' },
      ],
    }),
    [
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[1].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[1].message: Invalid value: " ": message must be non-empty if specified',
      'spec.validations[2].message: Required value: message must be specified if expression contains line breaks',
    ],
  ],
  [
    'a message may not check rights',
    validation({
      expression: "authorizer.requestResource.check('get').allowed()",
      messageExpression: 'authorizer == null ? "" : ""',
    }),
    [
      `spec.validations[0].messageExpression: Invalid value: "authorizer == null ? \\"\\" : \\"\\"": ${caret('1:1', 'authorizer == null ? "" : ""', "undeclared reference to 'authorizer' (in container '')")}`,
    ],
  ],
  [
    'variables with names that are none, or read before they are there',
    policy({
      variables: [
        { name: 'in', expression: '1' },
        { name: 'a-b', expression: '1' },
        { name: 'early', expression: 'variables.late' },
        { name: 'late', expression: '1' },
      ],
      validations: [{ expression: 'variables.late == 1' }],
    }),
    [
      'spec.variables[0].name: Invalid value: "in": name is not a valid CEL identifier',
      'spec.variables[1].name: Invalid value: "a-b": name is not a valid CEL identifier',
      `spec.variables[2].expression: Invalid value: "variables.late": ${caret('1:10', 'variables.late', "undefined field 'late'")}`,
    ],
  ],
  [
    'variables have the types of their expressions',
    policy({
      variables: [{ name: 'names', expression: '["a", "b"]' }],
      validations: [{ expression: 'variables.names[0] > 1' }],
    }),
    [
      `spec.validations[0].expression: Invalid value: "variables.names[0] > 1": ${caret('1:20', 'variables.names[0] > 1', "found no matching overload for '_>_' applied to '(string, int)'")}`,
    ],
  ],
  [
    'one variable that does not compile is not the fault of those who read it',
    policy({
      variables: [{ name: 'bad', expression: 'nobody' }],
      validations: [{ expression: 'variables.bad > 1' }],
    }),
    [
      `spec.variables[0].expression: Invalid value: "nobody": ${caret('1:1', 'nobody', "undeclared reference to 'nobody' (in container '')")}`,
    ],
  ],
  [
    'conditions see no variables, have names, and give true or false',
    policy({
      matchConditions: [
        { name: 'a', expression: 'variables.x' },
        { name: 'b c', expression: '1' },
        { name: 'd', expression: ' ' },
      ],
    }),
    [
      `spec.matchConditions[0].expression: Invalid value: "variables.x": ${caret('1:1', 'variables.x', "undeclared reference to 'variables' (in container '')")}`,
      'spec.matchConditions[1].expression: Invalid value: "1": must evaluate to bool',
      "spec.matchConditions[1].name: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.matchConditions[2].expression: Required value',
    ],
  ],
  ['sixty-four conditions', policy({ matchConditions: many(64) }), []],
  [
    'and no more',
    policy({ matchConditions: many(65) }),
    ['spec.matchConditions: Too many: 65: must have at most 64 items'],
  ],
  [
    'notes under keys that cannot be, twice, and of something else than text',
    {
      metadata: { name: 'noted' },
      ...policy({
        auditAnnotations: [
          { key: 'a b', valueExpression: '"x"' },
          { key: 'c', valueExpression: '1' },
          { key: 'c', valueExpression: 'null' },
          { key: 'd', valueExpression: ' ' },
        ],
      }),
    },
    [
      "spec.auditAnnotations[0].key: Invalid value: \"noted/a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.auditAnnotations[1].valueExpression: Invalid value: "1": must evaluate to one of [string null_type]',
      'spec.auditAnnotations[2].key: Duplicate value: "c"',
      'spec.auditAnnotations[3].valueExpression: Required value: valueExpression is not specified',
    ],
  ],
])

refusals(test, alphaPolicies, [
  [
    'the older version is checked alike',
    validation({ expression: '1' }),
    ['spec.validations[0].expression: Invalid value: "1": must evaluate to bool'],
  ],
])

refusals(test, policies, [
  [
    'functions that the release before did not know',
    validation({ expression: 'sets.contains([1], [1])' }),
    [
      `spec.validations[0].expression: Invalid value: "sets.contains([1], [1])": ${caret('1:1', 'sets.contains([1], [1])', "undeclared reference to 'sets' (in container '')")}\nERROR: <input>:1:14: found no matching overload for 'contains' applied to '!error!.(list(int), list(int))'\n | sets.contains([1], [1])\n | .............^`,
    ],
  ],
])

updates(test, policies, policy({}), [
  [
    'an edit is checked like a new policy',
    (object) => ({
      ...object,
      spec: { ...(object.spec as object), validations: [{ expression: '1' }] },
    }),
    ['spec.validations[0].expression: Invalid value: "1": must evaluate to bool'],
  ],
])

const binding = (spec: object): Given => ({
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
})
const reference = (paramRef: object) => binding({ paramRef })

refusals(test, bindings, [
  ['a binding of a policy that is not there yet', binding({}), []],
  [
    'a binding of nothing that does nothing',
    { spec: {} },
    [
      'spec.policyName: Required value',
      'spec.validationActions: Required value: at least one validation action is required',
    ],
  ],
  [
    'one that says the same twice',
    binding({ validationActions: ['Deny', 'Warn'] }),
    [
      'spec.validationActions: Invalid value: []string{"Deny", "Warn"}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  [
    'one that does what nobody knows',
    binding({ validationActions: ['Shout'] }),
    [
      'spec.validationActions[0]: Unsupported value: "Shout": supported values: "Audit", "Deny", "Warn"',
    ],
  ],
  [
    'parameters by name and by labels',
    reference({ name: 'a', selector: {}, parameterNotFoundAction: 'Deny' }),
    [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    ],
  ],
  [
    'parameters by nothing',
    reference({}),
    [
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ],
  [
    'rules that match nothing',
    binding({ matchResources: { resourceRules: [{ ...rule, resources: [] }] } }),
    ['spec.matchResources.resourceRules[0].resources: Required value'],
  ],
])

const hook = (matchConditions: object): Given => ({
  webhooks: [
    {
      name: 'a.example.com',
      clientConfig: { url: 'https://example.com' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [rule],
      matchConditions,
    },
  ],
})

//
refusals(test, hooks, [
  [
    'conditions of webhooks that hold for some',
    hook([
      { name: 'a', expression: "request.operation == 'CREATE' && object != null" },
      { name: 'b', expression: "authorizer.requestResource.check('get').allowed()" },
    ]),
    [],
  ],
  ['sixty-four of them', hook(many(64)), []],
  [
    'and no more of them',
    hook(many(65)),
    ['webhooks[0].matchConditions: Too many: 65: must have at most 64 items'],
  ],
  [
    'conditions of webhooks that do not compile',
    hook([
      { name: 'a', expression: 'params == null' },
      { name: 'b', expression: '"x"' },
      { name: '', expression: 'true' },
    ]),
    [
      `webhooks[0].matchConditions[0].expression: Invalid value: "params == null": ${caret('1:1', 'params == null', "undeclared reference to 'params' (in container '')")}`,
      'webhooks[0].matchConditions[1].expression: Invalid value: "\\"x\\"": must evaluate to bool',
      'webhooks[0].matchConditions[2].name: Required value',
    ],
  ],
])

test.run()
