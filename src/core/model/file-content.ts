/** Content of a configuration file, with variables and defaults resolved, for comparison with another version. */
import type { Json } from '../canonical.ts';
import type { SourceLocation } from '../source-location.ts';

export interface FileContent {
  /** Sections by address: `test.KEY`, `app.KEY`, or the name of another key of the file, such as `limits`. */
  readonly sections: ReadonlyMap<string, FileSection>;
  /** Returns the rows of a payload file, each as one string; null if the file cannot be read. */
  readonly rowsOf: (path: string) => readonly string[] | null;
}

export interface FileSection {
  readonly source: SourceLocation | null;
  readonly fields: readonly FileField[];
  /** Lists of requests by path, such as `urls`. */
  readonly requests: ReadonlyMap<string, readonly RequestFields[]>;
  readonly value: Json;
}

export interface RequestFields {
  /** Label that is unique in the list: the name of the URL, or its method and path. */
  readonly label: string;
  readonly name: string | null;
  readonly method: string;
  readonly url: string;
  readonly source: SourceLocation | null;
  readonly fields: readonly FileField[];
  readonly value: Json;
}

export interface FileField {
  /** Names of the field and of the maps that contain it: `['thresholds', 'p95']`. */
  readonly path: readonly string[];
  /** Value for display, in the notation of the file. Literal credentials are `***`, and secrets are references. */
  readonly value: Json;
  /** Normalized text, which is equal for values with the same meaning, such as `60s` and `1m`. */
  readonly meaning: string;
  /**
   * Path of the map that contains the field, such as `json`; null if the order of the map's members does not matter.
   */
  readonly orderedIn: string | null;
  readonly secrets: readonly string[];
  readonly source: SourceLocation | null;
}
