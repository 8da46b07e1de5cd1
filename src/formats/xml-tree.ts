/** Reads XML with positions. Refuses custom entities, and limits sizes and nesting. */
import sax from 'sax';
import type { SourcePosition } from '../core/intake/intake.ts';
import { createPositions, InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { MAX_VALUES } from './source-tree.ts';

export interface XmlElement {
  readonly name: string;
  readonly at: SourcePosition;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The text of the element, excluding its children. */
  readonly text: string;
}

const MAX_XML_DEPTH = 250;

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

/** @throws InvalidSource if the document is not valid XML or exceeds a limit. */
export function parseXmlSource(source: IntakeSource): XmlElement {
  const positionAt = createPositions(source.text);
  // The type declarations lack this option, which disables all entities except those predefined in XML.
  const options: sax.SAXOptions & { readonly strictEntities: boolean } = { strictEntities: true };
  const parser = sax.parser(true, options);
  const refuse = (message: string) =>
    new InvalidSource(source, { line: parser.line + 1, column: parser.column + 1 }, message);
  const document: OpenElement = {
    name: '',
    at: { line: 1, column: 1 },
    attributes: {},
    children: [],
    text: '',
  };
  const open = [document];
  let count = 0;
  const addText = (text: string) => {
    const current = open.at(-1);
    if (current !== undefined) current.text += text;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onopentag = ({ name, attributes }) => {
    count += 1;
    if (open.length > MAX_XML_DEPTH) throw refuse(`the source is nested deeper than ${MAX_XML_DEPTH} levels`);
    if (count > MAX_VALUES) throw refuse('the source contains too many elements');
    // The cast is valid, because without namespaces, the value of an attribute is a string.
    const values = attributes as Record<string, string>;
    const at = positionAt(parser.startTagPosition - 1);
    const element: OpenElement = { name, at, attributes: values, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => open.pop();
  parser.onerror = (error) => {
    throw refuse(`the source is not valid XML: ${error.message.split('\n', 1)[0] ?? ''}`);
  };
  parser.write(source.text.replace(/^\ufeff/, '')).close();
  const [root] = document.children;
  if (root === undefined) throw refuse('the source is not valid XML: it has no element');
  return root;
}
