// Renders the templates of a chart with the data from standard input, as Helm does: with Go's text/template and toJson.
// Helm's other functions are missing, so a chart that uses them fails here.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

func main() {
	var data map[string]interface{}
	check(json.NewDecoder(os.Stdin).Decode(&data))
	files, err := filepath.Glob(filepath.Join(os.Args[1], "templates", "*.yaml"))
	check(err)
	functions := template.FuncMap{"toJson": func(value interface{}) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	}}
	for _, file := range files {
		parsed, err := template.New(filepath.Base(file)).Funcs(functions).ParseFiles(file)
		check(err)
		fmt.Println("---")
		check(parsed.Execute(os.Stdout, data))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
