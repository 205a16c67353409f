package main

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/golang/protobuf/proto"
	"github.com/golang/protobuf/ptypes"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "dragontooth/v1"
)

// service is one whose Play streams are served by a function.
type service struct {
	pb.GameServiceServer
	serve func(pb.GameService_PlayServer) error
}

func (s service) Play(stream pb.GameService_PlayServer) error { return s.serve(stream) }

// start starts a service and returns its address.
func start(t *testing.T, serve func(pb.GameService_PlayServer) error) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterGameServiceServer(server, service{serve: serve})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func decide(stream pb.GameService_PlayServer, matchID string) error {
	decision := &pb.Decision{MatchId: matchID, DecisionId: 1, LegalActions: []string{"one", "two", "three", "four"}}
	return stream.Send(&pb.PlayResponse{Response: &pb.PlayResponse_Decision{Decision: decision}})
}

// refusal refuses what was sent in a match for the time being.
func refusal(matchID string, delay time.Duration) *pb.PlayResponse {
	info := &errdetails.RetryInfo{RetryDelay: ptypes.DurationProto(delay)}
	limited, err := status.New(codes.ResourceExhausted, "too fast").WithDetails(info)
	if err != nil {
		panic(err)
	}
	refused := &pb.PlayResponse_Refused{MatchId: matchID, Status: limited.Proto()}
	return &pb.PlayResponse{Response: &pb.PlayResponse_Refused_{Refused: refused}}
}

// refuse refuses the next request, which it returns, for the time being.
func refuse(stream pb.GameService_PlayServer, delay time.Duration) (*pb.PlayRequest, error) {
	request, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	return request, stream.Send(refusal(request.GetAnswer().GetMatchId(), delay))
}

func TestSendsAgainWhatIsRefusedForNow(t *testing.T) {
	streams, heard := 0, make(chan *pb.PlayRequest, 3)
	name := start(t, func(stream pb.GameService_PlayServer) error {
		streams++
		if _, err := stream.Recv(); err != nil { // The start.
			return err
		}
		for _, refused := range []struct {
			matchID string
			delay   time.Duration
		}{{"slow", time.Hour}, {"quick", time.Millisecond}} {
			if err := decide(stream, refused.matchID); err != nil {
				return err
			}
			request, err := refuse(stream, refused.delay)
			if err != nil {
				return err
			}
			heard <- request
		}
		again, err := stream.Recv()
		if err != nil {
			return err
		}
		heard <- again
		<-stream.Context().Done()
		return nil
	})
	addresses, err := parse(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := addresses[0].play(ctx, map[string]*pb.PlayRequest{})
		ended <- err
	}()
	slow, quick, again := <-heard, <-heard, <-heard
	if slow.GetAnswer().GetMatchId() != "slow" || quick.GetAnswer().GetMatchId() != "quick" || !proto.Equal(quick, again) {
		t.Errorf("it sent %v, %v and %v", slow, quick, again)
	}
	stop()
	if err := <-ended; status.Code(err) != codes.Canceled || streams != 1 {
		t.Errorf("%d streams ended with %v", streams, err)
	}
}

func TestWaitsLongerEachTime(t *testing.T) {
	last, pauses := map[string]*pb.PlayRequest{}, map[string]time.Duration{}
	// refused checks the time to wait: it is the asked one or half the pause, whichever is longer, and up to half the pause.
	refused := func(matchID string, asked, pause time.Duration) {
		t.Helper()
		least := pause / 2
		if least < asked {
			least = asked
		}
		wait, again := handle(refusal(matchID, asked), last, pauses, nil)
		if again != matchID || wait < least || wait >= least+pause/2 {
			t.Errorf("%q waits for %s, not from %s on", again, wait, least)
		}
	}
	for _, milliseconds := range []time.Duration{100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000} {
		refused("one", time.Millisecond, milliseconds*time.Millisecond)
	}
	refused("one", time.Hour, 10*time.Second)
	refused("other", time.Second, 100*time.Millisecond)
	accepted := &pb.PlayResponse_AnswerAccepted{MatchId: "one"}
	closed := &pb.PlayResponse_MatchClosed{Match: &pb.Match{Id: "one"}}
	for _, message := range []*pb.PlayResponse{
		{Response: &pb.PlayResponse_AnswerAccepted_{AnswerAccepted: accepted}},
		{Response: &pb.PlayResponse_MatchClosed_{MatchClosed: closed}},
	} {
		handle(message, last, pauses, nil)
		refused("one", 0, 100*time.Millisecond)
	}
	refused("other", 0, 200*time.Millisecond)
}

func TestReadsAddresses(t *testing.T) {
	addresses, err := parse("127.0.0.1:1, https://play.example")
	if err != nil || len(addresses) != 2 || addresses[0].host != "127.0.0.1:1" || addresses[1].host != "play.example:443" {
		t.Errorf("%v, %v", addresses, err)
	}
	for _, wrong := range []string{"localhost", "127.0.0.1:1,", "127.0.0.1:1,192.0.2.1:2", "ftp://127.0.0.1:1"} {
		if addresses, err := parse(wrong); err == nil {
			t.Errorf("%s: %v", wrong, addresses)
		}
	}
}
