// Renders templates with Go's text/template: reads a JSON list of cases, and writes a list of their results.
package main

import (
	"encoding/json"
	"os"
	"strings"
	"text/template"
)

type kase struct {
	Text   string
	Data   any
	Strict bool
}

type result struct {
	Output string
	Error  string
}

// number gives a JSON number the type that a literal of the same text has.
func number(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = number(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = number(v[k])
		}
	}
	return value
}

func render(k kase) (r result) {
	root := template.New("root").Funcs(functions())
	if k.Strict {
		root = root.Option("missingkey=error")
	}
	parsed, err := root.Parse(k.Text)
	var out strings.Builder
	if err == nil {
		err = parsed.Execute(&out, number(k.Data))
	}
	if err != nil {
		return result{Error: err.Error()}
	}
	return result{Output: out.String()}
}

func main() {
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	var cases []kase
	if err := decoder.Decode(&cases); err != nil {
		panic(err)
	}
	results := make([]result, len(cases))
	for i, k := range cases {
		results[i] = render(k)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
