// Command lua runs health scripts as Argo CD does, by the same interpreter with the same libraries. It reads a list of
// {script, object} and writes what each script returns.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	lua "github.com/yuin/gopher-lua"
)

type question struct {
	Script string `json:"script"`
	Object any    `json:"object"`
}

type answer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

func main() {
	var asked []question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		fail(err)
	}
	answers := make([]answer, 0, len(asked))
	for _, each := range asked {
		told, err := health(each)
		if err != nil {
			fail(fmt.Errorf("%w in:\n%s", err, each.Script))
		}
		answers = append(answers, told)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

func health(asked question) (answer, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase,
		lua.TabLibName:  lua.OpenTable,
	} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", value(state, asked.Object))
	if err := state.DoString(asked.Script); err != nil {
		return answer{}, err
	}
	told, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return answer{}, fmt.Errorf("no table is returned")
	}
	return answer{
		Status:  lua.LVAsString(told.RawGetString("status")),
		Message: lua.LVAsString(told.RawGetString("message")),
	}, nil
}

func value(state *lua.LState, of any) lua.LValue {
	switch typed := of.(type) {
	case string:
		return lua.LString(typed)
	case float64:
		return lua.LNumber(typed)
	case bool:
		return lua.LBool(typed)
	case []any:
		list := state.NewTable()
		for _, each := range typed {
			list.Append(value(state, each))
		}
		return list
	case map[string]any:
		table := state.NewTable()
		for name, each := range typed {
			table.RawSetString(name, value(state, each))
		}
		return table
	default:
		return lua.LNil
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
